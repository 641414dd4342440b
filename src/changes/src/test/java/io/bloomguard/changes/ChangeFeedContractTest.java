package io.bloomguard.changes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.bloomguard.generation.Change;
import io.bloomguard.generation.ChangeFeed;
import io.bloomguard.generation.internal.source.ChangesSince;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.core.ConditionFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What filters rely on of a feed, wherever it reads. */
public abstract class ChangeFeedContractTest {

  protected final HeardChanges heard = new HeardChanges();
  private final List<ChangeFeed> feeds = new ArrayList<>();

  /**
   * A feed of the rows of this test.
   *
   * @param shared whether one of several such feeds reads
   */
  protected abstract ChangeFeed feed(boolean shared) throws Exception;

  /** A feed that reads beside those. */
  protected ChangeFeed feedBeside() throws Exception {
    return feed(false);
  }

  protected abstract void insert(long id) throws Exception;

  protected abstract void update(long id) throws Exception;

  protected abstract void changeKey(long from, long to) throws Exception;

  protected abstract void delete(long id) throws Exception;

  protected abstract void truncate() throws Exception;

  /** Loses the position that the filter has, while nothing is read. */
  protected abstract void lose() throws Exception;

  /** Puts another log at the place of the one that is read, for the same rows. */
  protected abstract void replace() throws Exception;

  /** Makes the log that is read longer than the other one. */
  protected abstract void outgrow() throws Exception;

  @AfterEach
  protected void closeFeeds() throws Exception {
    feeds.forEach(ChangeFeed::close);
  }

  protected static ConditionFactory soon() {
    return await().atMost(Duration.ofSeconds(60));
  }

  protected final ChangeFeed started(ChangeFeed feed, HeardChanges hears) {
    feeds.add(feed);
    feed.start(hears);
    return feed;
  }

  /** A feed that has applied everything. */
  protected final ChangeFeed begun() throws Exception {
    int before = heard.completed;
    ChangeFeed feed = started(feed(false), heard);
    soon().until(() -> heard.completed > before);
    return feed;
  }

  protected final void untilHeard(Change last) {
    soon().until(() -> heard.changes.contains(last));
  }

  /** As a build of an image set does, while the filter's own feed reads on. */
  @Test
  void aFeedBesideGoesBackToAPosition() throws Exception {
    begun();
    insert(1);
    untilHeard(Change.inserted(1L));
    String before = String.valueOf(heard.position);
    ChangesSince since =
        new ChangesSince(this::beside, Duration.ofSeconds(30), Duration.ofSeconds(30));
    // The log is kept from the first question on, where it is kept for its readers alone.
    var unused = since.refusal(before);
    insert(2);
    untilHeard(Change.inserted(2L));
    String position = String.valueOf(heard.position);
    insert(3);
    update(1);
    delete(3);
    untilHeard(Change.deleted(3L));

    List<Object> keys = new ArrayList<>();
    assertThat(since.refusal(position)).isNull();
    since.read(position, keys::add);
    assertThat(keys).contains(1L, 3L);
    insert(4);
    untilHeard(Change.inserted(4L));
    assertThat(heard.begins).hasSize(1);
    closeFeeds();
    replace();
    assertThat(since.refusal(position)).contains("its log is another one");
  }

  private ChangeFeed beside() {
    try {
      return feedBeside();
    } catch (Exception e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void everyKindOfChangeIsPassedInItsOrder() throws Exception {
    insert(1);
    begun();
    insert(2);
    update(2);
    changeKey(2, 3);
    delete(3);
    truncate();
    insert(4);
    untilHeard(Change.inserted(4L));
    assertThat(heard.changes.get(0)).isEqualTo(Change.inserted(2L));
    assertThat(heard.changes.get(1).kind()).isEqualTo(Change.Kind.UPDATE);
    assertThat(heard.changes)
        .contains(Change.deleted(3L), Change.truncated())
        .anyMatch(change -> Long.valueOf(2).equals(change.before()))
        .doesNotContain(Change.inserted(1L));
    assertThat(heard.begins).hasSize(1);
    assertThat(heard.why).isNull();
  }

  @Test
  void theNextReadingBeginsWhereTheLastOneEnded() throws Exception {
    ChangeFeed first = begun();
    insert(1);
    untilHeard(Change.inserted(1L));
    first.close();
    insert(2);
    begun();
    assertThat(heard.changes).contains(Change.inserted(2L));
    assertThat(heard.begins).hasSize(1);
  }

  @Test
  void aPositionThatIsGoneIsABeginWithoutKnowledge() throws Exception {
    begun().close();
    lose();
    insert(1);
    begun();
    assertThat(heard.begins).hasSize(2);
    insert(2);
    untilHeard(Change.inserted(2L));
  }

  /** As after a restored backup, or the promotion of a standby that was behind. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anotherLogIsABeginWithoutKnowledge(boolean longer) throws Exception {
    insert(1);
    if (!longer) {
      outgrow();
    }
    begun().close();
    replace();
    if (longer) {
      outgrow();
    }
    insert(2);
    begun();
    assertThat(heard.begins).hasSize(2);
    insert(3);
    untilHeard(Change.inserted(3L));
  }

  @Test
  void itIsCompleteAgainAndAgain() throws Exception {
    begun();
    int before = heard.completed;
    soon().until(() -> heard.completed > before + 3);
    assertThat(heard.age).isBetween(Duration.ZERO, Duration.ofSeconds(60));
  }

  @Test
  void whatCouldNotBeAppliedIsReadAgain() throws Exception {
    begun();
    heard.refuses = true;
    insert(1);
    soon().until(() -> heard.why != null);
    assertThat(heard.why).contains("IllegalStateException").doesNotContain("quotes a key");
    heard.refuses = false;
    untilHeard(Change.inserted(1L));
    assertThat(heard.begins).hasSize(1);
  }

  @Test
  void oneOfThoseThatShareAFilterReadsAndAnotherTakesOver() throws Exception {
    HeardChanges other = new HeardChanges();
    ChangeFeed one = started(feed(true), heard);
    soon().until(() -> heard.completed > 0);
    started(feed(true), other);
    insert(1);
    untilHeard(Change.inserted(1L));
    assertThat(other.changes).isEmpty();

    other.position = heard.position;
    one.close();
    insert(2);
    soon().until(() -> other.changes.contains(Change.inserted(2L)));
    assertThat(other.begins).isEmpty();
    assertThat(heard.changes).doesNotContain(Change.inserted(2L));
  }
}
