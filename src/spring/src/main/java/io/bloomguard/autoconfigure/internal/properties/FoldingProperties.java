package io.bloomguard.autoconfigure.internal.properties;

import static java.util.Objects.requireNonNullElse;

import io.bloomguard.filter.KeyFolding;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * Which keys are equal, as the database compares the column that they come from. What is not set is
 * that of bloomguard.keys.
 *
 * @param letterCase Whether letters that differ in case alone are equal: exact (they are not),
 *     lower or upper (they are, and are held in that case).
 * @param trim The spaces that do not distinguish keys: none, trailing or both.
 * @param normalise The Unicode normalisation form that keys are brought to: none, nfc or nfkc.
 * @param scope The name of a bean that tells the first part of each key, such as the tenant of the
 *     calling thread: a Supplier, or for reactive methods a Function of Reactor's ContextView.
 */
public record FoldingProperties(
    @Name("case") KeyFolding.@Nullable LetterCase letterCase,
    KeyFolding.@Nullable Trim trim,
    KeyFolding.@Nullable Normalise normalise,
    @DefaultValue("") String scope) {

  /** These settings, where they are set, and the defaults of all filters elsewhere. */
  FoldingProperties over(BloomguardProperties.Keys defaults) {
    return new FoldingProperties(
        requireNonNullElse(letterCase, defaults.letterCase()),
        requireNonNullElse(trim, defaults.trim()),
        requireNonNullElse(normalise, defaults.normalise()),
        scope);
  }

  /** Refuses a scope beside settings that hold for a whole key, not for its parts. */
  void validate(String prefix, boolean ofNumbers, boolean bySubject) {
    String beside =
        !folding().keepsParts()
            ? ".keys.trim or .normalise, which hold for a whole key"
            : ofNumbers
                ? ".funnel, whose keys are numbers"
                : bySubject ? ".per-subject, whose subject is no part of a key" : null;
    if (!scope.isBlank() && beside != null) {
      throw new InvalidBloomguardSettingException(
          prefix + ".keys.scope makes the scope a part of each key, beside " + prefix + beside,
          "Leave one of them out.");
    }
  }

  public KeyFolding folding() {
    return new KeyFolding(
        requireNonNullElse(letterCase, KeyFolding.EXACT.letterCase()),
        requireNonNullElse(trim, KeyFolding.EXACT.trim()),
        requireNonNullElse(normalise, KeyFolding.EXACT.normalise()));
  }
}
