package io.bloomguard.spark;

import io.bloomguard.filter.HashSecret;
import io.bloomguard.image.ImagePlan;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * What a job is to build.
 *
 * @param plan the filter's plan, as the processes with the filter compute it from its settings
 * @param secret the filter's secret
 * @param out the folder of the set: a path or URI of a Hadoop file system
 * @param asOf the time up to which the table is complete
 * @param lag the longest time from a commit to the row's place in the table; it is taken off {@code
 *     asOf}
 * @param position the position of a feed of changes at that time; null for none
 * @param maxKeyLength the longest key, in bytes of UTF-8, as {@code bloomguard.keys.max-length}
 * @param maxUnusable the share of keys that may be null or no keys, 0 to 1
 * @param allowOverfull whether the set may hold more keys than the filter is made for
 */
public record ImageJob(
    ImagePlan plan,
    HashSecret secret,
    String out,
    Instant asOf,
    Duration lag,
    @Nullable String position,
    int maxKeyLength,
    double maxUnusable,
    boolean allowOverfull) {

  /** The name of the manifest in the folder of the set. */
  public static final String MANIFEST = "latest.json";

  /**
   * Checks the parts.
   *
   * @param plan the filter's plan
   * @param secret the filter's secret
   * @param out the folder of the set
   * @param asOf the time up to which the table is complete
   * @param lag the longest time from a commit to the row's place in the table
   * @param position the position of a feed of changes; null for none
   * @param maxKeyLength the longest key, in bytes of UTF-8
   * @param maxUnusable the share of keys that may be no keys
   * @param allowOverfull whether the set may hold more keys than the filter is made for
   * @throws IllegalArgumentException naming the value and the rule it breaks
   */
  public ImageJob {
    if (lag.isNegative()) {
      throw new IllegalArgumentException("The lag is " + lag + ", but must not be negative");
    }
    if (!(maxUnusable >= 0 && maxUnusable <= 1)) {
      throw new IllegalArgumentException(
          "The share of unusable keys is " + maxUnusable + ", but must be within 0 and 1");
    }
    if (!secret.id().equals(plan.secretId())) {
      throw new IllegalArgumentException(
          "The secret is " + secret.id() + ", but the plan names " + plan.secretId());
    }
  }
}
