package io.bloomguard.filter;

/**
 * Everything that must be equal for two images to mean the same by a bit.
 *
 * @param filter the filter's name
 * @param shape the dimensions of the image (of one partition)
 * @param hash the hash algorithm, such as {@code siphash-1-3}
 * @param secretId the public identifier of the hash's secret, empty for none
 * @param partitions how many partitions the filter has
 * @param partition the index of this one
 */
public record Fingerprint(
    String filter, FilterShape shape, String hash, String secretId, int partitions, int partition) {

  /** The version of the image format, a part of every fingerprint. */
  public static final int FORMAT_VERSION = 1;
}
