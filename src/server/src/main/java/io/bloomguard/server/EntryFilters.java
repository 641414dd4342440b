package io.bloomguard.server;

import io.bloomguard.autoconfigure.BloomguardManagementFilterConfiguration;
import jakarta.servlet.Filter;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.web.servlet.FilterRegistrationBean;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletPath;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.core.env.Environment;
import org.springframework.core.env.Profiles;
import org.springframework.security.web.servlet.util.matcher.PathPatternRequestMatcher;
import org.springframework.web.filter.CompositeFilter;

/** The servlet filters that every call passes first, on a separate management port as well. */
@Configuration(proxyBeanMethods = false)
class EntryFilters {

  @Bean(BloomguardManagementFilterConfiguration.FILTER)
  FilterRegistrationBean<Filter> entryFilters(
      DispatcherServletPath servlet, Environment environment) {
    String prefix = servlet.getPrefix();
    PathPatternRequestMatcher.Builder any = PathPatternRequestMatcher.withDefaults();
    PathPatternRequestMatcher.Builder paths = prefix.isEmpty() ? any : any.basePath(prefix);
    List<Filter> filters = new ArrayList<>();
    filters.add(new AuthoriseRequest.Recognition(prefix));
    if (refusesWritesOfOtherMachines(environment)) {
      filters.add(new LocalWrites(paths));
    }
    filters.add(new BodyLimit(paths));
    CompositeFilter all = new CompositeFilter();
    all.setFilters(filters);
    FilterRegistrationBean<Filter> registration = new FilterRegistrationBean<>(all);
    registration.setOrder(Ordered.HIGHEST_PRECEDENCE);
    return registration;
  }

  private static boolean refusesWritesOfOtherMachines(Environment environment) {
    return environment.acceptsProfiles(Profiles.of("!" + SecuredConfiguration.PROFILE))
        && !environment.getProperty("bloomguard.server.open-writes", boolean.class, false);
  }
}
