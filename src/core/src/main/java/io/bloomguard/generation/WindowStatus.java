package io.bloomguard.generation;

/**
 * A window filter's generations together.
 *
 * @param window the configured window
 * @param live the number of generations that hold keys now
 * @param elements the estimated sum of their keys: a key in three generations counts three times
 * @param sizeBytes their total size
 * @param early the number of generations that began before their time because the one before was
 *     too full
 */
public record WindowStatus(Window window, int live, long elements, long sizeBytes, long early) {}
