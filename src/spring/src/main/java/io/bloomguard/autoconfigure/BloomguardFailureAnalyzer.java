package io.bloomguard.autoconfigure;

import io.bloomguard.guard.StartRefusedException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.core.Ordered;
import org.springframework.core.convert.ConverterNotFoundException;
import org.springframework.util.StringUtils;

/** Says at a failed start which setting or which method is wrong, why, and what to do. */
class BloomguardFailureAnalyzer implements FailureAnalyzer, Ordered {

  @Override
  public @Nullable FailureAnalysis analyze(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof StartRefusedException refused) {
        return new FailureAnalysis(refused.description(), refused.action(), failure);
      }
      if (cause instanceof UnboundConfigurationPropertiesException unbound) {
        return unknown(unbound, failure);
      }
      if (cause instanceof BindException bind && KnownProperties.isOurs(bind.getName())) {
        FailureAnalysis analysis = value(bind, failure);
        if (analysis != null) {
          return analysis;
        }
      }
    }
    return null;
  }

  /** Without the values: a misspelt secret is a secret too. */
  private static @Nullable FailureAnalysis unknown(
      UnboundConfigurationPropertiesException unbound, Throwable failure) {
    List<ConfigurationPropertyName> unknown = ours(unbound, property -> !isEmpty(property));
    if (!unknown.isEmpty()) {
      return new FailureAnalysis(
          "Bloomguard has no property " + unknown,
          "Correct the name or leave it out. "
              + unknown.stream()
                  .map(BloomguardFailureAnalyzer::instead)
                  .distinct()
                  .collect(Collectors.joining(" ")),
          failure);
    }
    List<ConfigurationPropertyName> empty = ours(unbound, BloomguardFailureAnalyzer::isEmpty);
    return empty.isEmpty()
        ? null
        : new FailureAnalysis(
            "An empty value cannot be read for " + empty, "Set a value or leave it out.", failure);
  }

  /** The nearest names; all that there are in its place if none is near. */
  private static String instead(ConfigurationPropertyName unknown) {
    List<String> near = KnownProperties.near(unknown);
    return near.isEmpty()
        ? "There are " + KnownProperties.besides(unknown)
        : "Did you mean " + String.join(" or ", near) + "?";
  }

  private static List<ConfigurationPropertyName> ours(
      UnboundConfigurationPropertiesException unbound, Predicate<ConfigurationProperty> which) {
    return unbound.getUnboundProperties().stream()
        .filter(property -> KnownProperties.isOurs(property.getName()))
        .filter(which)
        .map(ConfigurationProperty::getName)
        .sorted()
        .toList();
  }

  /** Whether the property is one of ours and not bound only because it is empty. */
  private static boolean isEmpty(ConfigurationProperty property) {
    return KnownProperties.isKnown(property.getName())
        && property.getValue() instanceof CharSequence value
        && !StringUtils.hasText(value);
  }

  private static @Nullable FailureAnalysis value(BindException bind, Throwable failure) {
    if (bind.getCause() instanceof ConverterNotFoundException) {
      return new FailureAnalysis(
          bind.getName() + " has a value, but is a group of properties",
          "Set properties in it instead: " + KnownProperties.besides(bind.getName()),
          failure);
    }
    Class<?> type = bind.getTarget().getType().toClass();
    return type.isEnum() && bind.getProperty() != null
        ? choice(bind.getProperty(), type, failure)
        : null;
  }

  /** As a user would write the choices; Boot shows the constants of the enum. */
  private static FailureAnalysis choice(
      ConfigurationProperty property, Class<?> type, Throwable failure) {
    List<String> choices =
        Arrays.stream(type.getEnumConstants())
            .map(constant -> ((Enum<?>) constant).name().toLowerCase(Locale.ROOT).replace('_', '-'))
            .toList();
    String origin = property.getOrigin() == null ? "" : " It comes from " + property.getOrigin();
    return new FailureAnalysis(
        property.getName() + " is '" + property.getValue() + "', but must be one of " + choices,
        "Set it to one of these." + origin,
        failure);
  }

  /** Before Boot's own analyzer of binding failures, which would print the stack of causes. */
  @Override
  public int getOrder() {
    return Ordered.HIGHEST_PRECEDENCE;
  }
}
