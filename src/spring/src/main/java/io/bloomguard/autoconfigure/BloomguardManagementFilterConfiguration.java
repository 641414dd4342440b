package io.bloomguard.autoconfigure;

import jakarta.servlet.Filter;
import java.util.Objects;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.DispatcherServlet;

/**
 * Puts the application's servlet filter of the name {@link #FILTER} before a management port of its
 * own too, whose context is a child that sees no filters of its parent.
 */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnClass({DispatcherServlet.class, FilterRegistrationBean.class})
@ConditionalOnBean(name = BloomguardManagementFilterConfiguration.FILTER)
public final class BloomguardManagementFilterConfiguration {

  /** The name of the registration bean. */
  public static final String FILTER = "bloomguardManagementFilter";

  BloomguardManagementFilterConfiguration() {}

  @Bean
  FilterRegistrationBean<Filter> bloomguardFilterOfTheManagementPort(
      @Qualifier(FILTER) FilterRegistrationBean<? extends Filter> application) {
    FilterRegistrationBean<Filter> registration =
        new FilterRegistrationBean<>(Objects.requireNonNull(application.getFilter()));
    registration.setOrder(application.getOrder());
    return registration;
  }
}
