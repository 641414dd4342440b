package io.bloomguard.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import jakarta.servlet.ServletInputStream;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.DelegatingServletInputStream;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.web.server.ResponseStatusException;

/** Bodies as callers may write them, and such bodies with a fault. */
class KeyBatchTest {

  private static final String[] PIECES = {
    "a", "\"", "\\", "/", "é", "€", "😀", " ", "]", "}", ",", "{\"keys\":[", "\u2028", "0"
  };
  private static final String[] SPACES = {"", "", "", " ", "\n", "\r\n\t"};

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void keysAreWhatTheyAreHoweverTheyAreWritten(long seed) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 300; i++) {
      List<Object> keys = keys(random);
      assertThat(read(json(keys, random)).stream().map(Object::toString))
          .isEqualTo(keys.stream().map(Object::toString).toList());
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void aBodyThatIsCutOffIsRefused(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < 300; i++) {
      String json = json(keys(random), random).strip();
      String cut = json.substring(0, random.nextInt(json.length()));
      assertThatThrownBy(() -> read(cut))
          .isInstanceOf(ResponseStatusException.class)
          .hasMessageStartingWith("400 BAD_REQUEST");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"null", "true", "1.5", "1e3", "[]", "[[1]]", "{}", "{\"keys\":[]}"})
  void whatIsNoKeyIsRefusedWhereverItStands(String value) {
    for (int at = 0; at < 5; at++) {
      List<String> values = new ArrayList<>(List.of("1", "\"b\"", "3", "\"d\""));
      values.add(at, value);
      String index = "index " + at + " ";
      assertThatThrownBy(() -> read("{\"keys\":[" + String.join(",", values) + "]}"))
          .isInstanceOf(ResponseStatusException.class)
          .hasMessageContaining(index);
    }
  }

  private static List<Object> keys(SplittableRandom random) {
    List<Object> keys = new ArrayList<>();
    for (int i = random.nextInt(20); i > 0; i--) {
      keys.add(
          switch (random.nextInt(4)) {
            case 0 -> random.nextInt();
            case 1 -> random.nextLong();
            case 2 -> BigInteger.valueOf(random.nextLong()).pow(3);
            default -> text(random);
          });
    }
    return keys;
  }

  private static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    for (int i = random.nextInt(30); i > 0; i--) {
      text.append(PIECES[random.nextInt(PIECES.length)]);
    }
    return text.toString();
  }

  private static String json(List<Object> keys, SplittableRandom random) {
    StringBuilder json = new StringBuilder(space(random) + "{" + space(random) + "\"keys\":[");
    for (int i = 0; i < keys.size(); i++) {
      json.append(i == 0 ? "" : ",").append(space(random));
      json.append(keys.get(i) instanceof String text ? quoted(text, random) : keys.get(i));
      json.append(space(random));
    }
    return json.append("]").append(space(random)).append("}").append(space(random)).toString();
  }

  /** Each character as it is, where that is allowed, or as an escape. */
  private static String quoted(String text, SplittableRandom random) {
    StringBuilder json = new StringBuilder("\"");
    for (char c : text.toCharArray()) {
      boolean escaped = random.nextInt(4) == 0 && !Character.isSurrogate(c);
      if (escaped) {
        json.append("\\u%04x".formatted((int) c));
      } else {
        json.append(c == '"' || c == '\\' ? "\\" : "").append(c);
      }
    }
    return json.append('"').toString();
  }

  private static String space(SplittableRandom random) {
    return SPACES[random.nextInt(SPACES.length)];
  }

  private static List<Object> read(String json) throws IOException {
    MockHttpServletRequest request = new MockHttpServletRequest("POST", "/");
    request.setContent(json.getBytes(StandardCharsets.UTF_8));
    try (BatchMemory.Share share = new BatchMemory(1 << 20).open()) {
      return KeyBatch.read(request, "", 256, share, Duration.ofMinutes(1)).keys();
    }
  }

  @Test
  void aKeyThatIsTooLongIsRefusedBeforeItIsRead() {
    AtomicInteger read = new AtomicInteger();
    MockHttpServletRequest request = request(endless("{\"keys\":[1,\"", "x", read));
    BatchMemory memory = new BatchMemory(1 << 20);
    try (BatchMemory.Share share = memory.open()) {
      assertThatThrownBy(() -> KeyBatch.read(request, "", 256, share, Duration.ofMinutes(1)))
          .hasMessageStartingWith("400 BAD_REQUEST")
          .hasMessageContainingAll("index 1", "256 bytes");
    }
    assertThat(read).hasValueLessThan(64 * 1024);
    assertThat(memory.taken()).isZero();
  }

  @Test
  void keysBeyondTheMemoryOfAllBatchesAreRefusedAndGivenBack() throws IOException {
    BatchMemory memory = new BatchMemory(200_000);
    try (BatchMemory.Share half = memory.open()) {
      for (int i = 0; i < 200; i++) {
        half.key(256);
      }
      long before = memory.taken();
      String keys = "\"" + "k".repeat(200) + "\",";
      byte[] body = ("{\"keys\":[" + keys.repeat(300) + "1]}").getBytes(StandardCharsets.UTF_8);
      assertThatThrownBy(() -> readWithin(memory, new ByteArrayInputStream(body)))
          .isInstanceOfSatisfying(
              ResponseStatusException.class,
              e -> {
                assertThat(e.getStatusCode().value()).isEqualTo(503);
                assertThat(e.getHeaders().getFirst("Retry-After")).isEqualTo("1");
              });
      assertThat(memory.taken()).isEqualTo(before);
    }
    assertThat(memory.taken()).isZero();
    assertThat(readWithin(memory, new ByteArrayInputStream("{\"keys\":[1]}".getBytes())))
        .hasSize(1);
  }

  @Test
  void longNumbersTakeTheirMemoryToo() {
    BatchMemory memory = new BatchMemory(100_000);
    String number = "9".repeat(250) + ",";
    byte[] body = ("{\"keys\":[" + number.repeat(300) + "1]}").getBytes(StandardCharsets.UTF_8);
    assertThatThrownBy(() -> readWithin(memory, new ByteArrayInputStream(body)))
        .hasMessageStartingWith("503");
    assertThatThrownBy(() -> read("{\"keys\":[1,-" + "9".repeat(256) + "]}"))
        .hasMessageContainingAll("index 1", "256 bytes");
  }

  @Test
  void aBodyThatTakesTooLongIsGivenUp() {
    BatchMemory memory = new BatchMemory(1 << 20);
    try (BatchMemory.Share share = memory.open()) {
      assertThatThrownBy(
              () ->
                  KeyBatch.read(
                      request(endless("{\"keys\":[", "1,", new AtomicInteger())),
                      "",
                      256,
                      share,
                      Duration.ZERO))
          .hasMessageStartingWith("408 REQUEST_TIMEOUT");
    }
  }

  private static List<Object> readWithin(BatchMemory memory, InputStream body) throws IOException {
    try (BatchMemory.Share share = memory.open()) {
      return KeyBatch.read(request(body), "", 256, share, Duration.ofMinutes(1)).keys();
    }
  }

  private static MockHttpServletRequest request(InputStream body) {
    return new MockHttpServletRequest("POST", "/") {
      @Override
      public ServletInputStream getInputStream() {
        return new DelegatingServletInputStream(body);
      }
    };
  }

  /** A body that begins so and never ends. */
  private static InputStream endless(String begin, String rest, AtomicInteger read) {
    return new InputStream() {
      @Override
      public int read() {
        int at = read.getAndIncrement();
        return at < begin.length()
            ? begin.charAt(at)
            : rest.charAt((at - begin.length()) % rest.length());
      }
    };
  }
}
