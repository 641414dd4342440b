package io.bloomguard.filter;

/**
 * The partitions of a filter that is split into images of a bounded size.
 *
 * @param whole the dimensions as configured, of any size
 * @param partitions their number, at least 1
 * @param part the dimensions of each: those of the whole if there is one, else with room for the
 *     keys that chance deals to it
 */
public record FilterPlan(FilterShape whole, int partitions, FilterShape part) {

  /**
   * {@return the plan with the fewest partitions}
   *
   * @param whole the dimensions as configured
   * @param imageBytes the most bytes of one partition, at least 1024
   */
  public static FilterPlan of(FilterShape whole, long imageBytes) {
    int count = (int) Math.min(Integer.MAX_VALUE, (whole.sizeBytes() - 1) / imageBytes + 1);
    FilterPlan plan = split(whole, count);
    while (!plan.fits(imageBytes)) {
      plan = split(whole, ++count);
    }
    return plan;
  }

  /**
   * {@return the plan of a filter of the backend redis: images that fit a Redis string, in blocks
   * that are fast to read there}
   *
   * @param insertions n, the distinct keys, at least 1
   * @param probability p, the false-positive probability at n keys, within (0, 1)
   */
  public static FilterPlan redis(long insertions, double probability) {
    int blockWords = Sizing.fewestBlockWords(probability);
    FilterShape whole = Sizing.blocked(insertions, probability, blockWords);
    return of(whole, FilterSize.REDIS_IMAGE_BYTES);
  }

  /**
   * {@return the plan of a filter on the heap: one image, a cache line a block}
   *
   * @param insertions n, the distinct keys, at least 1
   * @param probability p, the false-positive probability at n keys, within (0, 1)
   */
  public static FilterPlan local(long insertions, double probability) {
    return split(Sizing.shape(Layout.BLOCKED, insertions, probability).onHeap(), 1);
  }

  /**
   * {@return the plan with that many partitions, however large each}
   *
   * @param whole the dimensions as configured
   * @param partitions their number, at least 1
   */
  public static FilterPlan split(FilterShape whole, int partitions) {
    if (partitions == 1) {
      return new FilterPlan(whole, 1, whole);
    }
    long most = Sizing.partitionInsertions(whole.expectedInsertions(), partitions);
    double p = whole.falsePositiveProbability();
    FilterShape part = Sizing.shape(whole.layout(), most, p, whole.blockWords());
    return new FilterPlan(whole, partitions, part);
  }

  /**
   * {@return whether no partition is larger}
   *
   * @param imageBytes the most bytes of one
   */
  public boolean fits(long imageBytes) {
    return part.sizeBytes() <= imageBytes;
  }

  /** {@return the size of all partitions, in bytes} */
  public long sizeBytes() {
    return partitions * part.sizeBytes();
  }
}
