package io.bloomguard.classic.internal.guava;

import com.google.common.hash.BloomFilter;
import com.google.common.hash.Funnel;
import com.google.common.hash.Funnels;
import io.bloomguard.filter.internal.KeyFunnel;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Files in Guava's serial form for each funnel and strategy, made by Guava alone. Run it in the
 * project's directory to write them again.
 */
public final class GuavaGoldenFiles {

  static final int KEYS = 200;
  private static final double P = 0.001;
  private static final Path DIRECTORY =
      Path.of("src/classic/src/test/resources/io/bloomguard/classic/guava");

  private GuavaGoldenFiles() {}

  public static void main(String[] args) throws Exception {
    Files.createDirectories(DIRECTORY);
    for (KeyFunnel funnel : KeyFunnel.values()) {
      for (int bits : List.of(32, 64)) {
        Files.write(DIRECTORY.resolve(name(funnel, bits)), made(funnel, bits));
      }
    }
  }

  /** The name of a file: the funnel as the property has it, and the strategy. */
  static String name(KeyFunnel funnel, int bits) {
    return funnel.name().toLowerCase(Locale.ROOT).replace('_', '-') + ".mitz-" + bits;
  }

  static byte[] golden(KeyFunnel funnel, int bits) throws IOException {
    try (var in = GuavaGoldenFiles.class.getResourceAsStream(name(funnel, bits))) {
      return in.readAllBytes();
    }
  }

  /** The keys in a file, as this project writes them; negative numbers and large ones, too. */
  static List<String> keys(KeyFunnel funnel) {
    return IntStream.range(0, KEYS)
        .mapToObj(
            i ->
                switch (funnel) {
                  case STRING_UTF8, STRING_UTF16, BYTES -> "语言-" + i;
                  case LONG -> Long.toString(Long.MIN_VALUE + i * 92_233_720_368_547_758L);
                  case INT -> Integer.toString(Integer.MIN_VALUE + i * 21_474_836);
                })
        .toList();
  }

  static byte[] made(KeyFunnel funnel, int bits) throws Exception {
    return switch (funnel) {
      case STRING_UTF8 ->
          made(Funnels.stringFunnel(StandardCharsets.UTF_8), bits, List.copyOf(keys(funnel)));
      case STRING_UTF16 -> made(Funnels.unencodedCharsFunnel(), bits, List.copyOf(keys(funnel)));
      case LONG ->
          made(Funnels.longFunnel(), bits, keys(funnel).stream().map(Long::valueOf).toList());
      case INT ->
          made(Funnels.integerFunnel(), bits, keys(funnel).stream().map(Integer::valueOf).toList());
      case BYTES ->
          made(
              Funnels.byteArrayFunnel(),
              bits,
              keys(funnel).stream().map(key -> key.getBytes(StandardCharsets.UTF_8)).toList());
    };
  }

  private static <T> byte[] made(Funnel<? super T> funnel, int bits, List<? extends T> keys)
      throws Exception {
    BloomFilter<T> filter = filter(funnel, "MURMUR128_MITZ_" + bits);
    keys.forEach(filter::put);
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    filter.writeTo((OutputStream) out);
    return out.toByteArray();
  }

  /** Guava makes only the newer strategy in public. */
  @SuppressWarnings("unchecked")
  private static <T> BloomFilter<T> filter(Funnel<? super T> funnel, String strategy)
      throws Exception {
    Class<?> type = Class.forName("com.google.common.hash.BloomFilter$Strategy");
    Class<?> strategies = Class.forName("com.google.common.hash.BloomFilterStrategies");
    Object chosen = null;
    for (Object constant : strategies.getEnumConstants()) {
      if (((Enum<?>) constant).name().equals(strategy)) {
        chosen = constant;
      }
    }
    Method create =
        BloomFilter.class.getDeclaredMethod("create", Funnel.class, long.class, double.class, type);
    create.setAccessible(true);
    return (BloomFilter<T>) create.invoke(null, funnel, (long) KEYS, P, chosen);
  }
}
