package io.bloomguard.console.autoconfigure;

import io.bloomguard.console.internal.Console;
import io.bloomguard.console.internal.ConsoleData;
import io.bloomguard.console.internal.ConsolePage;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.ManagementContextType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.web.servlet.DispatcherServlet;

/** Serves the console from a management port of its own, whose context is a child. */
@ManagementContextConfiguration(value = ManagementContextType.CHILD, proxyBeanMethods = false)
@ConditionalOnClass(DispatcherServlet.class)
@ConditionalOnBean(Console.class)
class BloomguardConsoleManagementConfiguration {

  @Bean
  ConsolePage bloomguardConsolePage(Console console) {
    return new ConsolePage(console);
  }

  @Bean
  ConsoleData bloomguardConsoleData(Console console) {
    return new ConsoleData(console);
  }
}
