package io.bloomguard.classic.internal.hash;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Values that PHP 8.2 (64-bit) has made, and the keys of other tests of classic hashes. */
public final class PhpVectors {

  private static final Path NAMES =
      Path.of("src/it/real-input/src/test/resources/package-names.txt");

  private PhpVectors() {}

  /** Objects with {@code key}, a value for each hash, {@code seededBKDR} and {@code crc32}. */
  public static Stream<JsonNode> all() {
    try (InputStream in =
        Objects.requireNonNull(
            PhpVectors.class.getResourceAsStream("/interop/php-hash-vectors.json"))) {
      return JsonMapper.shared().readTree(in).valueStream().toList().stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  public static byte[] bytes(String key) {
    return key.getBytes(StandardCharsets.UTF_8);
  }

  /** Names of packages, all different. */
  public static List<String> packageNames() {
    try {
      return Files.readAllLines(NAMES);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Words of 4 to 12 lower-case letters, always the same; a few come twice. */
  public static Stream<byte[]> words(long seed, int count) {
    Random random = new Random(seed);
    return Stream.generate(
            () -> {
              byte[] word = new byte[4 + random.nextInt(9)];
              for (int i = 0; i < word.length; i++) {
                word[i] = (byte) ('a' + random.nextInt(26));
              }
              return word;
            })
        .limit(count);
  }
}
