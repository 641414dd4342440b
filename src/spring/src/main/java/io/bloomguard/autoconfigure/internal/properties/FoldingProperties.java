package io.bloomguard.autoconfigure.internal.properties;

import static java.util.Objects.requireNonNullElse;

import io.bloomguard.filter.KeyFolding;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.Name;

/**
 * Which keys are equal, as the database compares the column that they come from. What is not set is
 * that of bloomguard.keys.
 *
 * @param letterCase Whether letters that differ in case alone are equal: exact (they are not),
 *     lower or upper (they are, and are held in that case).
 * @param trim The spaces that do not distinguish keys: none, trailing or both.
 * @param normalise The Unicode normalisation form that keys are brought to: none, nfc or nfkc.
 */
public record FoldingProperties(
    @Name("case") KeyFolding.@Nullable LetterCase letterCase,
    KeyFolding.@Nullable Trim trim,
    KeyFolding.@Nullable Normalise normalise) {

  /** These settings, where they are set, and the defaults of all filters elsewhere. */
  FoldingProperties over(BloomguardProperties.Keys defaults) {
    return new FoldingProperties(
        requireNonNullElse(letterCase, defaults.letterCase()),
        requireNonNullElse(trim, defaults.trim()),
        requireNonNullElse(normalise, defaults.normalise()));
  }

  public KeyFolding folding() {
    return new KeyFolding(
        requireNonNullElse(letterCase, KeyFolding.EXACT.letterCase()),
        requireNonNullElse(trim, KeyFolding.EXACT.trim()),
        requireNonNullElse(normalise, KeyFolding.EXACT.normalise()));
  }
}
