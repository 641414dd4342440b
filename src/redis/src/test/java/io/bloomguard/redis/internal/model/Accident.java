package io.bloomguard.redis.internal.model;

/** What events do to Redis. */
final class Accident {

  private Accident() {}

  static boolean isRestore(Event event) {
    return switch (event) {
      case RESTORE, RESTORE_KEYS, RESTORE_HEAD, RESTORE_IMAGE, RESTORE_PREVIOUS, RESTORE_JOURNAL ->
          true;
      default -> false;
    };
  }

  static boolean needsBackup(Event event) {
    return isRestore(event) || event == Event.AGE || event == Event.FAILOVER;
  }

  /** False if the event cannot happen now. */
  static boolean happen(Event event, World world) {
    Partition redis = world.redis;
    Partition backup = world.backup;
    switch (event) {
      case BACKUP -> {
        backup.set(redis);
      }
      case AGE -> {
        backup.aged = true;
        for (Image image : backup.images) {
          image.aged = image.id != 0;
        }
        for (Node node : world.nodes) {
          node.log &= ~world.visible;
          node.again &= ~world.visible;
        }
      }
      case FAILOVER -> {
        redis.set(backup);
        world.server++;
      }
      case MOVE -> world.server++;
      case MOVE_BACK -> {
        for (Node node : world.nodes) {
          // It takes longer than a second: every process is in contact in between.
          if (node.alive && (node.connection != world.server || node.beat == 0)) {
            return false;
          }
        }
        world.server = 1;
      }
      case FLUSH -> {
        redis.clear();
      }
      case DROP_HEAD -> dropHead(redis);
      case DROP_IMAGE -> redis.unlink(redis.serving);
      case DROP_JOURNAL -> {
        redis.journal = 0;
        redis.journalEnd = 0;
        readNothing(redis);
      }
      default -> {
        return restore(event, world);
      }
    }
    return true;
  }

  /** A dump that is put back is older than a second, in which every process is in contact. */
  private static boolean restore(Event event, World world) {
    Partition redis = world.redis;
    Partition backup = world.backup;
    for (Node node : world.nodes) {
      if (node.alive && !node.stopped && node.connection != 0 && node.beat <= backup.beat) {
        return false;
      }
    }
    switch (event) {
      case RESTORE -> {
        redis.set(backup);
      }
      case RESTORE_KEYS -> {
        if (!allKnow(world, redis.serving)) {
          return false;
        }
        Partition now = new Partition();
        now.set(redis);
        redis.set(backup);
        for (Image image : now.images) {
          if (image.id != 0 && redis.image(image.id) == null) {
            redis.place(image.id).set(image);
          }
        }
      }
      case RESTORE_JOURNAL -> {
        redis.journal = backup.journal;
        redis.journalEnd = backup.journalEnd;
        System.arraycopy(backup.unread, 0, redis.unread, 0, World.NODES);
      }
      case RESTORE_IMAGE -> restoreImage(redis, backup.image(backup.serving));
      case RESTORE_PREVIOUS -> {
        if (backup.previous == 0 || redis.previous != backup.previous) {
          return false;
        }
        restoreImage(redis, backup.image(backup.previous));
      }
      case RESTORE_HEAD -> {
        Partition now = new Partition();
        now.set(redis);
        redis.set(backup);
        redis.journal = now.journal;
        redis.journalEnd = now.journalEnd;
        redis.lock = now.lock;
        for (int i = 0; i < redis.images.length; i++) {
          redis.images[i].set(now.images[i]);
        }
      }
      default -> throw new IllegalArgumentException(event.name());
    }
    return true;
  }

  /** Whether every process has read the head since that image serves. */
  private static boolean allKnow(World world, int serving) {
    for (Node node : world.nodes) {
      if (node.alive && !node.stopped && node.serving != serving) {
        return false;
      }
    }
    return true;
  }

  private static void restoreImage(Partition redis, Image old) {
    Image image = redis.image(old.id);
    (image == null ? redis.place(old.id) : image).set(old);
  }

  private static void dropHead(Partition redis) {
    Partition now = new Partition();
    now.set(redis);
    redis.clear();
    redis.journal = now.journal;
    redis.journalEnd = now.journalEnd;
    redis.lock = now.lock;
    for (int i = 0; i < redis.images.length; i++) {
      redis.images[i].set(now.images[i]);
    }
  }

  private static void readNothing(Partition redis) {
    java.util.Arrays.fill(redis.unread, 0);
  }
}
