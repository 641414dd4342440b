package io.bloomguard.generation.internal;

/**
 * The totals of all subjects of a filter.
 *
 * @param count the number of live subjects
 * @param bytes the memory that they take in Redis
 * @param maxCount the most subjects: the lower of both bounds
 * @param maxBytes the most bytes
 * @param elements keys of all subjects, estimated from those that were sampled
 * @param fillMedian the median fill ratio of the sampled subjects, 0 to 1; 0 for none
 * @param fillMax the highest fill ratio among them
 * @param sampled the number of sampled subjects
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
