package io.bloomguard.it.soak;

import io.bloomguard.guard.BloomGuard;
import io.bloomguard.guard.ValueType;
import io.bloomguard.guard.internal.EntryGuards;
import io.bloomguard.guard.internal.EntryPoint;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Things over HTTP: 200 with the name, or 404. */
@RestController
class ThingController {

  private final Things things;
  private final ScheduledExecutorService loads;
  private final BloomGuard<String> guard;
  private final BloomGuard<String> odd;
  private final BloomGuard<String> outer;
  private final BloomGuard<String> inner;
  private final Notes notes;
  private final BloomGuard<String> noteFilter;

  ThingController(Things things, Notes notes, ScheduledExecutorService loads, EntryGuards guards) {
    this.things = things;
    this.notes = notes;
    this.loads = loads;
    this.guard = guards.guard("things", String.class);
    this.odd = guard(guards, "odd");
    this.outer = guard(guards, "outer");
    this.inner = guard(guards, "inner");
    this.noteFilter = guards.guard("notes", String.class);
  }

  private static BloomGuard<String> guard(EntryGuards guards, String cache) {
    return guards.guard("things", cache, ValueType.of(String.class), EntryPoint.METHOD);
  }

  @GetMapping("/things/{id}")
  ResponseEntity<String> find(@PathVariable long id) {
    return ResponseEntity.of(things.find(id));
  }

  @PostMapping("/things/{id}")
  void insert(@PathVariable long id) {
    things.insert(id);
  }

  @GetMapping("/async/{id}")
  CompletionStage<ResponseEntity<String>> findAsync(@PathVariable long id) {
    return guard
        .getAsync(id, () -> CompletableFuture.supplyAsync(() -> things.row(id), loads))
        .thenApply(name -> ResponseEntity.of(Optional.ofNullable(name)));
  }

  /** A loader that does not as it should; nothing is to be concluded from the answer. */
  @GetMapping("/odd/{how}/{id}")
  CompletionStage<ResponseEntity<String>> findOdd(@PathVariable String how, @PathVariable long id) {
    return odd.getAsync(id, () -> oddLoad(how))
        .thenApply(name -> ResponseEntity.of(Optional.ofNullable(name)));
  }

  private CompletionStage<String> oddLoad(String how) {
    return switch (how) {
      case "no-stage" -> null;
      case "throws" -> throw new IllegalStateException("as asked");
      case "fails" -> CompletableFuture.failedFuture(new IllegalStateException("as asked"));
      case "nothing" -> CompletableFuture.completedFuture(null);
      // Longer than load.timeout.
      default ->
          CompletableFuture.supplyAsync(
              () -> "late", task -> loads.schedule(task, 2, TimeUnit.SECONDS));
    };
  }

  /** A load within a load. */
  @GetMapping("/nested/{id}")
  ResponseEntity<String> findNested(@PathVariable long id) {
    return ResponseEntity.of(
        Optional.ofNullable(outer.get(id, () -> inner.get(id, () -> things.row(id)))));
  }

  /** How many of {@code count} rows from {@code first} on there are. */
  @GetMapping("/batch/{first}/{count}")
  String findAll(@PathVariable long first, @PathVariable int count) {
    List<Long> ids = LongStream.range(first, first + count).boxed().toList();
    Map<Long, String> found =
        guard.getAll(
            ids,
            missing -> {
              Map<Long, String> rows = new LinkedHashMap<>();
              missing.forEach(
                  id -> {
                    String row = things.row(id);
                    if (row != null) {
                      rows.put(id, row);
                    }
                  });
              return rows;
            });
    return Integer.toString(found.size());
  }

  @GetMapping("/check/{id}")
  String check(@PathVariable long id) {
    return guard.check(id).name();
  }

  @GetMapping("/notes/{id}")
  ResponseEntity<String> findNote(@PathVariable long id) {
    return ResponseEntity.of(notes.find(id));
  }

  /** Adds the same keys as ever. */
  @PostMapping("/notes")
  void repeatNotes() {
    noteFilter.putAll(LongStream.rangeClosed(1, 1_000).boxed().toList());
  }
}
