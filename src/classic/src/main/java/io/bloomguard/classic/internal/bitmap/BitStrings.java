package io.bloomguard.classic.internal.bitmap;

import io.bloomguard.classic.internal.hash.StringChoice;
import io.bloomguard.redis.internal.client.Utf8;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

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
    List<byte[]> bytes = new ArrayList<>(keys.size());
    int[] home = new int[keys.size()];
    int[] sizes = new int[all.size()];
    for (int i = 0; i < home.length; i++) {
      byte[] key = Utf8.bytes(bitmap.folding().fold(keys.get(i)));
      bytes.add(key);
      home[i] = home(key);
      sizes[home[i]]++;
    }
    int most = Math.max(1, MOST_OFFSETS / bitmap.offsets().count());
    List<BitBatch> batches = new ArrayList<>();
    for (int string = 0; string < sizes.length; string++) {
      if (sizes[string] > 0) {
        int[] indexes = indexes(home, string, sizes[string]);
        for (int from = 0; from < indexes.length; from += most) {
          int to = Math.min(indexes.length, from + most);
          batches.add(batch(string, Arrays.copyOfRange(indexes, from, to), bytes));
        }
      }
    }
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

  private static int[] indexes(int[] home, int string, int size) {
    int[] indexes = new int[size];
    int next = 0;
    for (int i = 0; next < size; i++) {
      if (home[i] == string) {
        indexes[next++] = i;
      }
    }
    return indexes;
  }

  private BitBatch batch(int string, int[] indexes, List<byte[]> keys) {
    int bits = bitmap.offsets().count();
    long[] offsets = new long[indexes.length * bits];
    for (int i = 0; i < indexes.length; i++) {
      bitmap.offsets().write(keys.get(indexes[i]), offsets, i * bits);
    }
    return new BitBatch(all.get(string), indexes, offsets);
  }
}
