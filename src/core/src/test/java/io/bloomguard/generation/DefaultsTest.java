package io.bloomguard.generation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/** What a store and a source do that say nothing of it. */
class DefaultsTest {

  @Test
  void aStoreThatNobodyElseSharesTellsOfNothing() throws Exception {
    GenerationStore store = withDefaults(GenerationStore.class);
    assertThat(store.rebuildStatus()).isSameAs(RebuildStatusStore.NONE);
    assertThat(store.snapshotTime()).isNull();
    assertThat(store.warnings()).isEmpty();
    assertThat(store.isBuildDue()).isFalse();
    assertThat(store.journalSize()).isEqualTo(JournalSize.NONE);
  }

  @Test
  void theStatusOfAStoreThatIsNotSharedIsAlwaysEmpty() {
    assertThat(RebuildStatusStore.NONE.read()).isEqualTo(RebuildStatus.NONE);
    assertThat(RebuildStatusStore.NONE.cancel()).isFalse();
  }

  @Test
  void aSourceNeedKnowNeitherItsSizeNorWhatIsRecent() throws Exception {
    KeySource source = sink -> {};
    assertThat(source.count()).isEmpty();
    assertThat(source.knowsRecent()).isFalse();
    assertThatThrownBy(
            () -> source.forEachRecent(Instant.EPOCH, withDefaults(KeySource.KeySink.class)))
        .isInstanceOf(UnsupportedOperationException.class);
  }

  @Test
  void theTagsOfStatesAreThoseOfTheMeters() {
    assertThat(FilterState.values())
        .extracting(FilterState::tag)
        .containsExactly("empty", "warming", "ready", "doubtful", "failed", "disarmed");
  }

  @SuppressWarnings("unchecked")
  private static <T> T withDefaults(Class<T> type) {
    InvocationHandler defaults =
        (proxy, method, arguments) -> InvocationHandler.invokeDefault(proxy, method, arguments);
    return (T) Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, defaults);
  }
}
