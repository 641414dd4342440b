package io.bloomguard.source.internal;

import io.bloomguard.generation.KeySource.KeySink;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Keeps what a source yields. */
class RecordingSink implements KeySink {

  final List<@Nullable Object> keys = new ArrayList<>();

  /** How many keys came as primitive longs. */
  int longs;

  @Override
  public void accept(@Nullable Object key) {
    keys.add(key);
  }

  @Override
  public void accept(long key) {
    longs++;
    keys.add(key);
  }
}
