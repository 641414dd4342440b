package io.bloomguard.autoconfigure;

import io.bloomguard.filter.KeyFolding;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;

/**
 * Which keys are equal, as the database compares the column that they come from.
 *
 * @param letterCase Whether letters that differ in case alone are equal: exact (they are not),
 *     lower or upper (they are, and are held in that case).
 * @param trim The spaces that do not distinguish keys: none, trailing or both.
 * @param normalise The Unicode normalisation form that keys are brought to: none, nfc or nfkc.
 */
public record FoldingProperties(
    @Name("case") @DefaultValue("exact") KeyFolding.LetterCase letterCase,
    @DefaultValue("none") KeyFolding.Trim trim,
    @DefaultValue("none") KeyFolding.Normalise normalise) {

  KeyFolding folding() {
    return new KeyFolding(letterCase, trim, normalise);
  }
}
