package io.bloomguard.classic.internal.bitmap;

import io.bloomguard.classic.internal.hash.StringChoice;
import io.bloomguard.redis.internal.client.Utf8;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** All strings of a filter, on all its servers, and the choice of a key's string. */
final class BitStrings {

  /** The most offsets in one script, so that none blocks Redis for more than a few milliseconds. */
  private static final int MOST_OFFSETS = 4096;

  private final SharedBitmap bitmap;
  private final List<BitString> all;

  BitStrings(SharedBitmap bitmap) {
    this.bitmap = bitmap;
    StringChoice choice = bitmap.choice();
    List<BitString> strings = new ArrayList<>();
    for (int server = 0; server < choice.servers(); server++) {
      for (int partition = 0; partition < choice.partitions(); partition++) {
        strings.add(
            new BitString(
                bitmap.servers().get(server),
                bitmap.name(partition),
                choice.isUsed(server, partition)));
      }
    }
    this.all = List.copyOf(strings);
  }

  /** All strings, those of a server side by side. */
  List<BitString> all() {
    return all;
  }

  /** Those that can hold keys. */
  List<BitString> used() {
    return all.stream().filter(BitString::isUsed).toList();
  }

  /** The server of a string, in words; empty if there is only one. */
  String place(BitString string) {
    int servers = bitmap.choice().servers();
    int server = all.indexOf(string) / bitmap.choice().partitions();
    return servers == 1 ? "" : " on server " + (server + 1) + " of " + servers;
  }

  /** The keys, grouped by their string; a key's repetitions in their order. */
  List<BitBatch> batches(List<String> keys) {
    List<byte[]> bytes = keys.stream().map(key -> Utf8.bytes(bitmap.folding().fold(key))).toList();
    Map<Integer, List<Integer>> homes = new TreeMap<>();
    for (int i = 0; i < bytes.size(); i++) {
      homes.computeIfAbsent(home(bytes.get(i)), home -> new ArrayList<>()).add(i);
    }
    int most = Math.max(1, MOST_OFFSETS / bitmap.offsets().count());
    List<BitBatch> batches = new ArrayList<>();
    homes.forEach(
        (home, indexes) -> {
          for (int from = 0; from < indexes.size(); from += most) {
            int to = Math.min(indexes.size(), from + most);
            batches.add(batch(all.get(home), indexes.subList(from, to), bytes));
          }
        });
    return batches;
  }

  private int home(byte[] key) {
    if (all.size() == 1) {
      return 0;
    }
    StringChoice choice = bitmap.choice();
    long crc32 = StringChoice.crc32(key);
    return choice.server(crc32) * choice.partitions() + choice.partition(crc32);
  }

  private BitBatch batch(BitString string, List<Integer> indexes, List<byte[]> keys) {
    int bits = bitmap.offsets().count();
    long[] offsets = new long[indexes.size() * bits];
    for (int i = 0; i < indexes.size(); i++) {
      bitmap.offsets().write(keys.get(indexes.get(i)), offsets, i * bits);
    }
    return new BitBatch(string, indexes, offsets);
  }
}
