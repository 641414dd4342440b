package io.bloomguard.autoconfigure;

import io.bloomguard.aop.GuardedMethodException;
import io.bloomguard.web.InvalidWebRuleException;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.convert.ConverterNotFoundException;

/** Says at a failed start which setting or which method is wrong, why, and what to do. */
class BloomguardFailureAnalyzer implements FailureAnalyzer, Ordered {

  @Override
  public @Nullable FailureAnalysis analyze(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof InvalidBloomguardSettingException setting) {
        return new FailureAnalysis(message(setting), setting.action(), failure);
      }
      if (cause instanceof GuardedMethodException method) {
        return new FailureAnalysis(method.description(), method.action(), failure);
      }
      if (cause instanceof InvalidWebRuleException rule) {
        return new FailureAnalysis(rule.description(), rule.action(), failure);
      }
      if (cause instanceof UnboundConfigurationPropertiesException unbound) {
        return unknown(unbound, failure);
      }
      if (cause instanceof BindException bind
          && bind.getCause() instanceof ConverterNotFoundException) {
        return value(bind, failure);
      }
    }
    return null;
  }

  /** Without the values: a misspelt secret is a secret too. */
  private static @Nullable FailureAnalysis unknown(
      UnboundConfigurationPropertiesException unbound, Throwable failure) {
    List<ConfigurationPropertyName> names =
        unbound.getUnboundProperties().stream()
            .map(ConfigurationProperty::getName)
            .filter(KnownProperties::isOurs)
            .sorted()
            .toList();
    if (names.isEmpty()) {
      return null;
    }
    return new FailureAnalysis(
        "Bloomguard has no property " + names,
        "Correct the name or leave it out. There are "
            + names.stream().map(KnownProperties::besides).distinct().toList(),
        failure);
  }

  private static @Nullable FailureAnalysis value(BindException bind, Throwable failure) {
    if (!KnownProperties.isOurs(bind.getName())) {
      return null;
    }
    return new FailureAnalysis(
        bind.getName() + " has a value, but is a group of properties",
        "Set properties in it instead: " + KnownProperties.besides(bind.getName()),
        failure);
  }

  private static String message(Throwable failure) {
    return failure.getMessage() == null ? failure.toString() : failure.getMessage();
  }

  /** Before Boot's own analyzer of binding failures, which would print the stack of causes. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }
}
