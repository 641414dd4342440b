package io.bloomguard.redis.internal.migration;

import io.bloomguard.generation.GenerationStore;
import io.bloomguard.generation.RebuildReport;
import io.bloomguard.generation.RunningBuild;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The build of a filter's first generation under its next scheme, and the migration to it. */
public final class MigrationBuild implements GenerationStore.Build {

  private final GenerationStore.Build build;
  private final SchemeMigration migration;
  private final Runnable onBegin;
  private volatile @Nullable RunningBuild announced;
  private List<SchemeMigration.Marked> marks = List.of();

  /**
   * Creates a build whose migration has not begun.
   *
   * @param build of the next scheme
   * @param onBegin lets this process add to both schemes
   */
  public MigrationBuild(GenerationStore.Build build, SchemeMigration migration, Runnable onBegin) {
    this.build = build;
    this.migration = migration;
    this.onBegin = onBegin;
  }

  @Override
  public String run() {
    return build.run();
  }

  @Override
  public void announce(RunningBuild running) {
    announced = running;
    build.announce(running);
  }

  @Override
  public void ended(RebuildReport report) {
    build.ended(report);
  }

  @Override
  public void awaitSource() {
    onBegin.run();
    marks =
        migration.await(
            () -> {
              RunningBuild running = announced;
              return running != null && running.cancelled();
            });
  }

  @Override
  public void follows(long begun) {
    build.follows(begun);
  }

  @Override
  public void comesFrom(@Nullable String source) {
    build.comesFrom(source);
  }

  @Override
  public void addAll(String[] keys, int count) {
    build.addAll(keys, count);
  }

  @Override
  public void addAll(long[] keys, int count) {
    build.addAll(keys, count);
  }

  @Override
  public void publish(long keysRead) {
    build.publish(keysRead);
    migration.built(marks);
    migration.finish();
  }

  @Override
  public void close() {
    build.close();
  }
}
