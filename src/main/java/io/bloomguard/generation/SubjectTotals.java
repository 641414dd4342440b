package io.bloomguard.generation;

/**
 * All subjects of a filter in sum.
 *
 * @param count subjects that live
 * @param bytes what they take of Redis' memory
 * @param maxCount the most subjects: the lower of both bounds
 * @param maxBytes the most bytes
 * @param elements keys of all subjects, estimated from those that were sampled
 * @param fillMedian the median fill ratio of the sampled subjects, 0 to 1; 0 for none
 * @param fillMax the highest fill ratio among them
 * @param sampled how many were looked at
 */
public record SubjectTotals(
    long count,
    long bytes,
    long maxCount,
    long maxBytes,
    long elements,
    double fillMedian,
    double fillMax,
    int sampled) {}
