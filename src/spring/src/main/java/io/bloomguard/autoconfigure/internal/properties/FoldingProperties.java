package io.bloomguard.autoconfigure.internal.properties;

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
    @DefaultValue("") String scope) {}
