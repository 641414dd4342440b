package io.bloomguard.generation;

/**
 * A window filter's generations together.
 *
 * @param window what is configured
 * @param live how many generations hold keys now
 * @param elements the sum of their keys, estimated: one that came in three generations counts
 *     thrice
 * @param sizeBytes what they take together
 * @param early how many generations were begun before their time because the one before was too
 *     full
 */
public record WindowStatus(Window window, int live, long elements, long sizeBytes, long early) {}
