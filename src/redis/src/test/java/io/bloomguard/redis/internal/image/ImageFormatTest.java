package io.bloomguard.redis.internal.image;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyFolding;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.internal.Fingerprint;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ImageFormatTest {

  private static final Pattern LOCALS = Pattern.compile("(?m)^local ([A-Z_, ]+) = (.+)$");

  /** An index of a word as BITFIELD names it, a byte of a header's word, or a version. */
  private static final Pattern LITERAL =
      Pattern.compile(
          "'#\\d+'|'format', '\\d|(GETRANGE|SETRANGE)'[^,]*,[^,]*, [1-9]|\\b(152|160)\\b");

  private final RedisImage image =
      new RedisImage(
          new PartitionKeys("bloomguard", "order-items", 3, false),
          7,
          11,
          new Fingerprint(
              "order-items",
              new FilterShape(Layout.BLOCKED, 100, 0.001, 2048, 8, 9),
              "siphash-1-3",
              "0a1b2c3d",
              4,
              3,
              KeyFolding.EXACT));

  @Test
  void scriptsHaveTheSameFormat() throws IOException {
    assertThat(definitions())
        .containsExactlyInAnyOrderEntriesOf(
            Map.of(
                "FORMAT", "'" + ImageFormat.VERSION + "'",
                "ADDED_KEYS", "'#" + ImageFormat.ADDED_KEYS + "'",
                "SET_BITS", "'#" + ImageFormat.SET_BITS + "'",
                "EPOCH", "'#" + ImageFormat.EPOCH + "'",
                "BEAT", "'#" + ImageFormat.BEAT + "'",
                "SEAL_AT", "" + ImageFormat.SEAL * Long.BYTES,
                "EPOCH_AT", "" + ImageFormat.EPOCH * Long.BYTES,
                "BEAT_AT", "" + ImageFormat.BEAT * Long.BYTES,
                "FRAME_BYTES", "" + ImageFormat.FRAME_BYTES));
  }

  @Test
  void noScriptOfImagesNamesAWordByItsNumber() throws IOException {
    Path scripts = Path.of("src/redis/src/main/resources/io/bloomguard/redis/internal");
    for (String room : List.of("image", "partition", "build", "replica", "migration")) {
      try (Stream<Path> files = Files.list(scripts.resolve(room))) {
        for (Path file : files.filter(each -> !each.endsWith("format.lua")).toList()) {
          assertThat(Files.readString(file)).as(file.toString()).doesNotContainPattern(LITERAL);
        }
      }
    }
  }

  /** The form that is in Redis wherever Bloomguard runs. */
  @Test
  void headerAndTrailerStayAsTheyAre() {
    assertThat(hex(image.header(ImageState.READY)))
        .isEqualTo(
            "9bbf73be7e812201424c4f4f4d475246b737b497b668aa75"
                + "0000000000000007000000000000000b0000000000000001");
    assertThat(hex(image.trailer(ImageState.READY)))
        .isEqualTo(
            "424c4f4f4d475246b737b497b668aa750000000000000007000000000000000b"
                + "0000000000000001"
                + "0".repeat(64)
                + "9bbf73be7e812201");
    assertThat(image.trailer(ImageState.READY)).hasSize(ImageFormat.FRAME_BYTES);
  }

  private static Map<String, String> definitions() throws IOException {
    Map<String, String> values = new HashMap<>();
    try (InputStream in = ImageFormat.class.getResourceAsStream("format.lua")) {
      Matcher lines = LOCALS.matcher(new String(in.readAllBytes(), UTF_8));
      while (lines.find()) {
        String[] names = lines.group(1).split(", ");
        String[] numbers = lines.group(2).split(", ");
        assertThat(numbers).hasSameSizeAs(names);
        for (int i = 0; i < names.length; i++) {
          values.put(names[i], numbers[i]);
        }
      }
    }
    return values;
  }

  private static String hex(byte[] bytes) {
    return HexFormat.of().formatHex(bytes);
  }
}
