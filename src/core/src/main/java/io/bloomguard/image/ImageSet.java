package io.bloomguard.image;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.bloomguard.filter.CorruptFilterException;
import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.HashSecret;
import io.bloomguard.filter.KeyHash;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.internal.Fingerprint;
import java.io.IOException;
import java.io.InputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * The images of all partitions of a filter, as its manifest describes them.
 *
 * <p>A set is immutable files, each a {@link Slice}, and a manifest, a small JSON document that is
 * written last and replaced as a whole. It ends with an HMAC-SHA-256 (RFC 2104) of all before,
 * under a key derived from the filter's secret: who does not know the secret can make no set that
 * is read.
 *
 * @param plan the filter's plan
 * @param asOf the time of the data: each key that was committed or acknowledged before it is in the
 *     set, unless it was deleted
 * @param position the position of a feed of changes from which on changes may be missing; null for
 *     none
 * @param keys the keys that were read, duplicates among them
 * @param unusable the keys that were left out because no lookup could ask for them
 * @param complete whether keys that the set lacks are absent as of {@code asOf}; otherwise they are
 *     unknown
 * @param slices all slices of all partitions, in order
 */
public record ImageSet(
    ImagePlan plan,
    Instant asOf,
    @Nullable String position,
    long keys,
    long unusable,
    boolean complete,
    List<Slice> slices) {

  /** What the first line of a manifest says. */
  public static final String FORMAT = "bloomguard-image-set-1";

  private static final String PURPOSE = "bloomguard image set 1";
  private static final String HMAC = "HmacSHA256";
  private static final String END = "  \"hmac\": \"";
  private static final int LONGEST_POSITION = 1 << 16;
  private static final int BUFFER_BYTES = 1 << 19;

  private static final Pattern FILE = Pattern.compile("[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*");
  private static final Pattern FIELD =
      Pattern.compile("(?m)^ {2}\"(\\w+)\": (?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^\",\\[]+)),$");
  private static final Pattern SLICE =
      Pattern.compile(
          "\\{\"file\": \"([^\"]+)\", \"partition\": (\\d+), \"offset\": (\\d+), \"bytes\": (\\d+),"
              + " \"bits\": (\\d+), \"crc32c\": \"([0-9a-f]{8})\"\\}");

  /**
   * One file of the set: a run of 64-bit words of a partition's image, big-endian.
   *
   * @param file its name in the set's storage
   * @param partition the partition
   * @param offset where its words begin in the partition's image, in bytes
   * @param bytes its length
   * @param bits the number of positions that are set in it
   * @param checksum its CRC-32C (RFC 3720)
   * @serial exclude
   */
  public record Slice(String file, int partition, long offset, long bytes, long bits, int checksum)
      implements Serializable {

    /** What was written in the place of this slice. */
    Slice with(String name, long set, int sum) {
      return new Slice(name, partition, offset, bytes, set, sum);
    }

    /**
     * Passes the words on, part by part. A receiver must be able to undo what it got if this fails:
     * only at the end is it known that the file is whole.
     *
     * @param files have it
     * @param receiver gets the words
     * @throws CorruptFilterException if the file is missing, cut short, longer or altered
     * @throws IOException if the storage or the receiver fails
     */
    public void read(Files files, Receiver receiver) throws IOException {
      try (InputStream in = files.open(file)) {
        read(in, receiver);
        if (in.read() >= 0) {
          throw new CorruptFilterException("The slice " + file + " is longer than " + bytes);
        }
      } catch (NoSuchFileException e) {
        throw new CorruptFilterException("The slice " + file + " is missing", e);
      }
    }

    /**
     * Passes the words on, as {@link #read(Files, Receiver)} does, and reads nothing behind them.
     *
     * @param in begins with the words; it is not closed
     * @param receiver gets the words
     * @throws CorruptFilterException if the words are cut short or altered
     * @throws IOException if the stream or the receiver fails
     */
    public void read(InputStream in, Receiver receiver) throws IOException {
      CRC32C found = new CRC32C();
      byte[] buffer = new byte[BUFFER_BYTES];
      for (long left = bytes; left > 0; ) {
        int length = in.readNBytes(buffer, 0, (int) Math.min(left, buffer.length));
        if (length == 0) {
          throw new CorruptFilterException("The slice " + file + " is cut short");
        }
        found.update(buffer, 0, length);
        receiver.accept(partition, offset + bytes - left, ByteBuffer.wrap(buffer, 0, length));
        left -= length;
      }
      if ((int) found.getValue() != checksum) {
        throw new CorruptFilterException("The checksum of the slice " + file + " is wrong");
      }
    }
  }

  /** The files of a set, to be read. */
  @FunctionalInterface
  public interface Files {

    /**
     * {@return the content of a file, which the caller closes}
     *
     * @param name its name
     * @throws NoSuchFileException if there is none
     * @throws IOException if it cannot be read
     */
    InputStream open(String name) throws IOException;
  }

  /** Takes words of an image. */
  @FunctionalInterface
  public interface Receiver {

    /**
     * Takes some words.
     *
     * @param partition the partition
     * @param offset where they lie in its image, in bytes
     * @param words the words, big-endian; valid until this returns
     * @throws IOException if they cannot be taken
     */
    void accept(int partition, long offset, ByteBuffer words) throws IOException;
  }

  /**
   * Checks that the slices are the whole of every partition.
   *
   * @param plan the filter's plan
   * @param asOf the time of the data
   * @param position the position of a feed of changes; null for none
   * @param keys the keys that were read
   * @param unusable the keys that were left out
   * @param complete whether keys that the set lacks are absent
   * @param slices all slices, in order
   * @throws IllegalArgumentException if a slice is missing, or is not where the plan has it
   */
  public ImageSet {
    slices = List.copyOf(slices);
    FilterShape part = plan.part();
    if (slices.size() != plan.slices()) {
      throw new IllegalArgumentException(
          "The set has " + slices.size() + " slices, but its plan " + plan.slices());
    }
    for (int i = 0; i < slices.size(); i++) {
      Slice slice = slices.get(i);
      if (!slice.equals(plan.slice(i, part).with(slice.file, slice.bits, slice.checksum))) {
        throw new IllegalArgumentException("The slice " + slice + " is not number " + i);
      }
      if (!FILE.matcher(slice.file).matches() || slice.file.contains("..")) {
        throw new IllegalArgumentException(
            "The slice's file is '" + slice.file + "', but must match " + FILE);
      }
    }
    if (position != null && (position.isEmpty() || position.length() > LONGEST_POSITION)) {
      throw new IllegalArgumentException(
          "The position has " + position.length() + " characters, but must have 1 to 65,536");
    }
  }

  /** {@return the number of positions that are set in all partitions} */
  public long bits() {
    return slices.stream().mapToLong(Slice::bits).sum();
  }

  /** {@return an estimate of the distinct keys, from the set bits} */
  public long estimatedElements() {
    long estimate = 0;
    int ofPartition = plan.slicesOfPartition();
    for (int from = 0; from < slices.size(); from += ofPartition) {
      long set = slices.subList(from, from + ofPartition).stream().mapToLong(Slice::bits).sum();
      estimate += plan.part().estimateElements(set);
    }
    return estimate;
  }

  /**
   * {@return the manifest}
   *
   * @param secret the secret that the plan names
   */
  public String manifest(HashSecret secret) {
    StringBuilder text = new StringBuilder("{\n");
    field(text, "format", FORMAT);
    field(text, "filter", plan.filter());
    field(text, "fingerprint", plan.fingerprint(plan.part()));
    field(text, "layout", plan.layout().name());
    number(text, "insertions", plan.insertions());
    number(text, "probability", plan.probability());
    number(text, "blockWords", plan.blockWords());
    number(text, "partitions", plan.partitions());
    field(text, "hash", plan.hash().name());
    field(text, "secret", plan.secretId());
    field(text, "folding", plan.folding());
    number(text, "salt", plan.salt());
    number(text, "sliceBytes", plan.sliceBytes());
    field(text, "asOf", asOf.toString());
    if (position != null) {
      field(text, "position", position);
    }
    number(text, "keys", keys);
    number(text, "unusable", unusable);
    number(text, "bits", bits());
    number(text, "complete", complete);
    text.append("  \"slices\": [\n");
    for (int i = 0; i < slices.size(); i++) {
      Slice slice = slices.get(i);
      text.append("    {\"file\": \"").append(slice.file);
      text.append("\", \"partition\": ").append(slice.partition);
      text.append(", \"offset\": ").append(slice.offset);
      text.append(", \"bytes\": ").append(slice.bytes);
      text.append(", \"bits\": ").append(slice.bits);
      text.append(", \"crc32c\": \"").append(HexFormat.of().toHexDigits(slice.checksum));
      text.append(i + 1 < slices.size() ? "\"},\n" : "\"}\n");
    }
    text.append("  ],\n");
    return text.append(end(text.toString(), secret)).toString();
  }

  private static void field(StringBuilder text, String name, String value) {
    String escaped = value.replace("\\", "\\\\").replace("\"", "\\\"");
    text.append("  \"").append(name).append("\": \"").append(escaped).append("\",\n");
  }

  private static void number(StringBuilder text, String name, Object value) {
    text.append("  \"").append(name).append("\": ").append(value).append(",\n");
  }

  /** The last field of a manifest, which has the HMAC of all before it. */
  private static String end(String text, HashSecret secret) {
    try {
      byte[] key = secret.derive(PURPOSE).toHex().getBytes(UTF_8);
      Mac mac = Mac.getInstance(HMAC);
      mac.init(new SecretKeySpec(key, HMAC));
      String code = HexFormat.of().formatHex(mac.doFinal(text.getBytes(UTF_8)));
      return END + code + "\"\n}\n";
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("Every Java platform has " + HMAC, e);
    }
  }

  /**
   * Reads a manifest.
   *
   * @param manifest the text
   * @param secret the filter's secret
   * @return the set
   * @throws CorruptFilterException if it is of another form or secret, altered or cut short
   */
  public static ImageSet read(String manifest, HashSecret secret) throws CorruptFilterException {
    Map<String, String> fields = new HashMap<>();
    Matcher field = FIELD.matcher(manifest);
    while (field.find()) {
      String text = field.group(2);
      fields.put(field.group(1), text == null ? field.group(3) : text.replaceAll("\\\\(.)", "$1"));
    }
    if (!FORMAT.equals(fields.get("format"))) {
      throw new CorruptFilterException(
          "The manifest's format is '" + fields.get("format") + "', but must be '" + FORMAT + "'");
    }
    if (!secret.id().equals(fields.get("secret"))) {
      throw new CorruptFilterException(
          "The hash secret is " + fields.get("secret") + ", expected " + secret.id());
    }
    int end = Math.max(0, manifest.lastIndexOf(END));
    byte[] written = manifest.substring(end).getBytes(UTF_8);
    if (!MessageDigest.isEqual(written, end(manifest.substring(0, end), secret).getBytes(UTF_8))) {
      throw new CorruptFilterException(
          "The manifest was altered or cut short, or there are bytes behind its end: its HMAC is"
              + " wrong");
    }
    try {
      return of(fields, slices(manifest));
    } catch (IllegalArgumentException | DateTimeException e) {
      throw new CorruptFilterException("The manifest is wrong: " + e.getMessage(), e);
    }
  }

  private static List<Slice> slices(String manifest) {
    List<Slice> slices = new ArrayList<>();
    Matcher slice = SLICE.matcher(manifest);
    while (slice.find()) {
      slices.add(
          new Slice(
              slice.group(1),
              Integer.parseInt(slice.group(2)),
              Long.parseLong(slice.group(3)),
              Long.parseLong(slice.group(4)),
              Long.parseLong(slice.group(5)),
              Integer.parseUnsignedInt(slice.group(6), 16)));
    }
    return slices;
  }

  private static ImageSet of(Map<String, String> fields, List<Slice> slices) {
    ImagePlan plan =
        new ImagePlan(
            value(fields, "filter"),
            Layout.valueOf(value(fields, "layout")),
            Long.parseLong(value(fields, "insertions")),
            Double.parseDouble(value(fields, "probability")),
            Integer.parseInt(value(fields, "blockWords")),
            Integer.parseInt(value(fields, "partitions")),
            KeyHash.valueOf(value(fields, "hash")),
            value(fields, "secret"),
            value(fields, "folding"),
            Long.parseLong(value(fields, "salt")),
            Integer.parseInt(value(fields, "sliceBytes")));
    return new ImageSet(
        plan,
        Instant.parse(value(fields, "asOf")),
        fields.get("position"),
        Long.parseLong(value(fields, "keys")),
        Long.parseLong(value(fields, "unusable")),
        Boolean.parseBoolean(value(fields, "complete")),
        slices);
  }

  private static String value(Map<String, String> fields, String name) {
    String value = fields.get(name);
    if (value == null) {
      throw new IllegalArgumentException("it has no field '" + name + "'");
    }
    return value;
  }

  /**
   * Accepts a set for a filter, or throws.
   *
   * @param expected the plan of the filter that is to have it
   * @throws CorruptFilterException naming each part in which they differ
   */
  public void requirePlan(ImagePlan expected) throws CorruptFilterException {
    String found = plan.fingerprint(plan.whole());
    String wanted = expected.fingerprint(expected.whole());
    if (!found.equals(wanted)) {
      throw new CorruptFilterException(
          "The fingerprint differs: " + Fingerprint.difference(found, wanted));
    }
  }
}
