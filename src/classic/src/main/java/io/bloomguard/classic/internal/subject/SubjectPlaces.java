package io.bloomguard.classic.internal.subject;

import io.bloomguard.classic.internal.small.DataRefusal;
import io.bloomguard.classic.internal.small.SmallImage;
import io.bloomguard.classic.internal.small.SmallImages;
import io.bloomguard.guard.AddFailedException;
import io.bloomguard.guard.Membership;
import io.bloomguard.redis.internal.client.ForeignData;
import io.bloomguard.redis.internal.client.LuaScript;
import io.bloomguard.redis.internal.client.RedisLink;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The image of each subject: the scripts about it, and the meaning of their answers. */
final class SubjectPlaces {

  private static final String TAKEN =
      ForeignData.reason("the bits of a subject", "its name has :subject: and the subject's hash");

  private static final LuaScript STATE =
      SubjectRegister.SUBJECTS.then(SubjectPlaces.class, "head").then(SmallImages.class, "bits");
  private static final LuaScript CHECK =
      STATE.then(SubjectPlaces.class, "whole").then(SmallImages.class, "check");
  private static final LuaScript ADD =
      STATE.then(SubjectPlaces.class, "target").then(SmallImages.class, "add");

  private final SubjectSettings settings;
  private final SubjectKeys keys;
  private final SubjectImage image;
  private final SubjectRegister register;
  private final RedisLink requests;
  private final DataRefusal refusal;
  private final long size;

  SubjectPlaces(
      SubjectSettings settings,
      SubjectKeys keys,
      SubjectImage image,
      SubjectRegister register,
      RedisLink requests,
      DataRefusal refusal) {
    this.settings = settings;
    this.keys = keys;
    this.image = image;
    this.register = register;
    this.requests = requests;
    this.refusal = refusal;
    this.size = new SmallImage(settings.shape()).size();
  }

  /** The image of a subject. */
  Place of(long subject) {
    return new Place(subject, "");
  }

  /** The same for keys that are added again after a loss. */
  Place of(long subject, String losses) {
    return new Place(subject, losses);
  }

  /** Refuses adds to another program's data, or to a filter of other settings. */
  void requireOurs() {
    String why = refusal.why();
    if (why != null) {
      throw AddFailedException.foreign(settings.filter(), why);
    }
  }

  /** The image of one subject. */
  final class Place implements SmallImages.Place {

    private final long subject;
    private final String losses;

    private Place(long subject, String losses) {
      this.subject = subject;
      this.losses = losses;
    }

    @Override
    public LuaScript.Call check(SmallImages.Offsets offsets) {
      return start(CHECK, offsets);
    }

    @Override
    public LuaScript.Call add(SmallImages.Offsets offsets) {
      return start(ADD, offsets, settings.ttl().toMillis(), settings.mostSubjects(), losses);
    }

    private LuaScript.Call start(LuaScript script, SmallImages.Offsets offsets, Object... more) {
      String server = requests.server();
      List<Object> arguments =
          new ArrayList<>(
              List.of(
                  image.fingerprint(),
                  server,
                  image.front(subject),
                  size,
                  SubjectKeys.member(subject),
                  offsets.perKey(),
                  offsets.packed()));
      arguments.addAll(Arrays.asList(more));
      return script.start(requests.only(server), keys.of(subject), arguments.toArray());
    }

    @Override
    public @Nullable Membership missing(LuaScript.Reply reply) {
      return switch (reply.outcome()) {
        case NONE -> settings.absentWhereMissing() ? Membership.ABSENT : Membership.UNKNOWN;
        case OK -> reply.number(2) == 1 ? Membership.ABSENT : Membership.UNKNOWN;
        default -> null;
      };
    }

    @Override
    public boolean takes(LuaScript.Reply reply) {
      switch (reply.outcome()) {
        case OK -> {
          return true;
        }
        case FULL -> throw full(Duration.ofMillis(reply.number(1)));
        case TAKEN -> throw AddFailedException.foreign(settings.filter(), TAKEN);
        default -> register.tell();
      }
      requireOurs();
      return false;
    }
  }

  private AddFailedException full(Duration retryAfter) {
    return AddFailedException.full(
        ("Filter '%s' takes no further subject for now: it has %d, the bound of"
                + " bloomguard.filters.%1$s.per-subject.%s; raise that, or shorten per-subject.ttl")
            .formatted(
                settings.filter(),
                settings.mostSubjects(),
                settings.isBoundByBytes() ? "max-bytes" : "max-subjects"),
        retryAfter);
  }
}
