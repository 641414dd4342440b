package io.bloomguard.redis.internal.replica;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.redis.internal.image.JournalId;
import io.bloomguard.redis.internal.replica.JournalPage.Position;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which messages a copy may take for a page. */
class JournalNewsTest {

  private static final String HEAD = "2-0,,1-0,scheme";
  private static final String HASHES = "\0\0\0\0\0\0\0\n";

  @Test
  void anEntryIsTakenAfterTheOneBefore() {
    JournalNews news = news("5-0", "5-1", "server:7", HEAD);

    assertThat(news.next(at("5-0", 3), "server:7", HEAD)).isEqualTo(at("5-1", 4));
    assertThat(news.next(at("5-0", -1), "server:7", HEAD)).isEqualTo(at("5-1", -1));
    List<Long> hashes = new ArrayList<>();
    news.forEach(hashes::add);
    assertThat(hashes).containsExactly((long) '\n');
  }

  @Test
  void anEntryAfterAGapIsNot() {
    JournalNews news = news("5-0", "5-1", "server:7", HEAD);

    assertThat(news.next(at("4-9", 2), "server:7", HEAD)).isNull();
    assertThat(news.next(at("5-1", 4), "server:7", HEAD)).isNull();
  }

  @Test
  void anEntryOfAnotherServerLossOrHeadIsNot() {
    JournalNews news = news("0-0", "5-1", "server:7", HEAD);

    assertThat(news.next(at("0-0", 0), "server:8", HEAD)).isNull();
    assertThat(news("0-0", "5-1", "server:7", "others").next(at("0-0", 0), "server:7", HEAD))
        .isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "x", "a\nb\nc\nd\ne\nf", "a\n1-1\n2\nd\ne\nf", "a\n1-1\n2-1\nd\ne"})
  void anotherMessageTellsOfNoEntry(String message) {
    assertThat(JournalNews.of(message.getBytes(UTF_8))).isNull();
  }

  @Test
  void theWriterIsKnownByItsCopy() {
    byte[] message = message("1-1", "2-1", "server:7", "view");

    assertThat(JournalNews.isOf(message, "writer")).isTrue();
    assertThat(JournalNews.isOf(message, "write")).isFalse();
    assertThat(JournalNews.isOf(message, "writer2")).isFalse();
    assertThat(JournalNews.isOf(new byte[0], "writer")).isFalse();
  }

  private static JournalNews news(String before, String id, String epoch, String view) {
    JournalNews news = JournalNews.of(message(before, id, epoch, view));
    assertThat(news).isNotNull();
    return news;
  }

  private static byte[] message(String before, String id, String epoch, String view) {
    return String.join("\n", "writer", before, id, epoch, view, HASHES).getBytes(UTF_8);
  }

  private static Position at(String id, long ever) {
    return new Position(JournalId.parse(id), ever);
  }
}
