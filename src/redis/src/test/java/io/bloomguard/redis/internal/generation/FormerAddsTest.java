package io.bloomguard.redis.internal.generation;

import static io.bloomguard.guard.Membership.ABSENT;
import static io.bloomguard.guard.Membership.POSSIBLY_PRESENT;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.bloomguard.generation.GenerationStore;
import io.bloomguard.redis.internal.image.ImageState;
import io.bloomguard.redis.internal.image.RedisHead;
import io.bloomguard.redis.internal.image.RedisImage;
import io.lettuce.core.ScriptOutputType;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Processes of version 0.9, which know no salts, beside those of this one: no add of theirs is lost
 * or lacks its bits. The resource is that version's script, as it sends it.
 */
class FormerAddsTest extends RedisTestBase {

  private static final String WRITER = "93b4b5c0-6d0c-4a5e-8b0e-6f0a2a3c9f51";

  private SchemeStore here;

  @BeforeEach
  void open() {
    here = store(first);
  }

  /** Enters the list of writers as that version does, with an entry that ends after a time. */
  private void takePart(Duration ends) {
    RedisHead head = read();
    long micros = Instant.now().plus(ends).toEpochMilli() * 1000;
    String entry = head.trust().losses() + "|" + micros + "|0";
    redis.commands().hset(key("writers"), WRITER.getBytes(UTF_8), entry.getBytes(UTF_8));
  }

  private RedisHead read() {
    here.look();
    return here.partitions()[0].head().last();
  }

  /** Adds under a head as last read; what the script answers first. */
  private String add(RedisHead view, String added) throws IOException {
    List<byte[]> keys = new ArrayList<>(List.of(key("head"), key("journal")));
    for (RedisImage image : new RedisImage[] {view.serving(), view.building(), view.previous()}) {
      keys.add(image == null ? key("head") : image.key());
    }
    long hash = here.hasher().hash(added);
    List<byte[]> args = new ArrayList<>();
    for (Object arg : List.of(view.view(), view.trust().server(), 0, view.trust().losses())) {
      args.add(arg.toString().getBytes(UTF_8));
    }
    args.add("600000".getBytes(UTF_8));
    args.add(ByteBuffer.allocate(Long.BYTES).putLong(hash).array());
    for (String arg : List.of("1", "", "1000000", "")) {
      args.add(arg.getBytes(UTF_8));
    }
    addImage(args, "serving", view.serving(), ImageState.READY, 3, hash);
    addImage(args, "kept", view.building(), ImageState.BUILDING, 4, hash);
    addImage(args, "kept", view.previous(), ImageState.RETIRED, 5, hash);
    try (InputStream in = FormerAddsTest.class.getResourceAsStream("add-0.9.lua")) {
      List<Object> answer =
          redis
              .commands()
              .eval(
                  in.readAllBytes(),
                  ScriptOutputType.MULTI,
                  keys.toArray(new byte[0][]),
                  args.toArray(new byte[0][]));
      return new String((byte[]) answer.get(0), UTF_8);
    }
  }

  private static void addImage(
      List<byte[]> args,
      String role,
      @Nullable RedisImage image,
      ImageState state,
      int place,
      long hash) {
    if (image != null) {
      args.add(role.getBytes(UTF_8));
      args.add(Integer.toString(place).getBytes(UTF_8));
      args.add(image.sealBytes(state));
      args.add(Long.toString(image.lastWord() * Long.BYTES).getBytes(UTF_8));
      args.add(Integer.toString(image.offsetsPerKey()).getBytes(UTF_8));
      args.add(image.offsets(List.of(hash)));
      args.add(Integer.toString(image.positionBits()).getBytes(UTF_8));
    }
  }

  private static long salt(@Nullable RedisImage image) {
    assertThat(image).isNotNull();
    return image.fingerprint().salt();
  }

  @Test
  void whileOneTakesPartImagesHaveNoSalt() throws IOException {
    build(here, SHAPE, List.of("1"));
    takePart(Duration.ofSeconds(10));
    build(here, SHAPE, List.of("1"));
    assertThat(salt(read().serving())).isZero();
    assertThat(add(read(), "before")).isEqualTo("ok");
    try (GenerationStore.Build build = here.beginBuild(SHAPE)) {
      assertThat(salt(read().building())).isZero();
      assertThat(add(read(), "meanwhile")).isEqualTo("ok");
      assertThat(here.check("meanwhile")).isEqualTo(POSSIBLY_PRESENT);
      build.publish();
    }
    assertThat(add(read(), "after")).isEqualTo("ok");
    assertThat(here.checkAll(List.of("before", "meanwhile", "after", "never")))
        .containsExactly(POSSIBLY_PRESENT, POSSIBLY_PRESENT, POSSIBLY_PRESENT, ABSENT);
  }

  /** It may come to itself within a minute after its entry has ended. */
  @Test
  void onceNoneTakesPartImagesHaveASaltAndItsAddsAreRefused() throws IOException {
    build(here, SHAPE, List.of("1"));
    assertThat(salt(read().serving())).isNotZero();
    takePart(Duration.ofSeconds(-50));
    build(here, SHAPE, List.of("1"));
    RedisHead known = read();
    assertThat(salt(known.serving())).isZero();
    assertThat(add(known, "before")).isEqualTo("ok");

    takePart(Duration.ofSeconds(-70));
    try (GenerationStore.Build build = here.beginBuild(SHAPE)) {
      assertThat(salt(read().building())).isNotZero();
      // It reads the head again, and finds a foreign filter.
      assertThat(add(known, "late")).isEqualTo("reread");
      assertThat(here.check("before")).isEqualTo(POSSIBLY_PRESENT);
      build.publish();
    }
    assertThat(salt(read().serving())).isNotZero();
    assertThat(add(known, "late")).isEqualTo("reread");
    assertThat(here.check("before")).isEqualTo(POSSIBLY_PRESENT);
    assertThat(here.check("late")).isEqualTo(ABSENT);
  }
}
