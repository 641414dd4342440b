package io.bloomguard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The tests that wait for more than a second of real time have the tag {@code waits}, and say why.
 * Where the code under test takes a clock, a test moves that instead.
 */
class WaitsTagTest {

  private static final String TAG = "@Tag(\"waits\")";

  /** A class stands for all of its tests. */
  private static final List<String> WAITING =
      """
      ApiPatienceTest
      BatchCheckTest
      CheckBatcherTest.aBreakerThatOpensTurnsLaterChecksAway
      CheckBatcherTest.aCheckLeavesByItselfBehindALateCommand
      ClusterOperationsTest.aBuildIsCancelledAtTheOtherProcess
      DatabaseWiringTest
      FeedWiringTest.aGapIsFilledByABuildOfItsOwn
      FeedWiringTest.underCountingTheFeedAloneRemoves
      FilterLifecycleTest.maintenanceThatHangsKeepsNoSignOfLifeBack
      ForeignSecretTest.anAddNeverReachesAHeadOfAnotherSecretThatReplacedTheOneKnown
      HungSourcesTest
      ImageSetsTest.aSetServesAndANewerOneIsFound
      KafkaFeedTest
      KafkaWiringTest
      LateRedisTest
      LineageTest
      ObjectStoreImagesTest.setsArePublishedAndOneWithoutASliceIsRefused
      PostgresFeedTest
      RebuildStatusStoreTest.everyProcessSeesHowFarTheBuildOfOneIs
      RebuildStatusStoreTest.whoIsCancelledAfterItsLastKeyPublishesNothing
      RecentQueryTest.aBeanMayTellOfRecentKeysToo
      RedisGenerationsTest.aSlowBuildKeepsItsLock
      RedisGenerationsTest.anOldImageIsUnlinkedNotDeleted
      RedisJournalTest.afterTheRetentionThereIsRoomAgain
      RedisLossTest
      RedisOutageTest.aStoppedRedisIsUnknownAndARestartedOneIsRebuilt
      RedisReasonsTest
      RedisRemovalModelTest.aRemovalWhoseAnswerIsLostMayNotBeRepeated
      RedisReplicaLossTest
      RedisSettlingTest
      RedisValueCacheTest.aLeaseWhoseAnswerCameTooLateIsGivenBack
      RedisValueCacheTest.aSlowAnswerIsNotTakenForAnAbsentRedis
      ReplicaWiringTest.theReplicaIsFedAsLongAsTheApplicationRuns
      SchemeMigrationLossTest
      SchemeMigrationTest.aLossDuringAChangeLosesNoAdd
      ValueCacheContractTest.aLateHolderNeitherStoresNorEndsTheNextLease
      WindowSettingsTest.aWindowDeduplicatesAndIsNeitherRebuiltNorRolledBack
      """
          .lines()
          .toList();

  /** What waits for a second or more whatever happens. */
  private static final Pattern WAITS =
      Pattern.compile(
          "\\.during\\(Duration\\.ofSeconds|pollDelay\\(Duration\\.of(Seconds|Millis\\(\\d+_)"
              + "|(SECONDS|Thread)\\.sleep\\(|clientPause\\(.*\\b\\d+_\\d{3}\\b");

  private static final Pattern NAME = Pattern.compile("\\b(class|void) (\\w+)");

  private final Map<String, String> reasons = new TreeMap<>();
  private final List<Path> files = new ArrayList<>();

  @BeforeEach
  void read() throws IOException {
    for (Path file : ModuleSources.files(ModuleSources.tests())) {
      if (!file.endsWith("WaitsTagTest.java")) {
        files.add(file);
        read(file);
      }
    }
  }

  /** The comment that ends above the annotations of each tag, by what has the tag. */
  private void read(Path file) throws IOException {
    List<String> lines = Files.readAllLines(file);
    String type = file.getFileName().toString().replace(".java", "");
    for (int i = 0; i < lines.size(); i++) {
      if (lines.get(i).strip().equals(TAG)) {
        int end = i;
        while (lines.get(end - 1).strip().startsWith("@")) {
          end--;
        }
        int begin = end;
        while (begin > 0 && !lines.get(begin).contains("/**") && !lines.get(begin).isBlank()) {
          begin--;
        }
        Matcher name = NAME.matcher(String.join("\n", lines.subList(i, lines.size())));
        assertThat(name.find()).isTrue();
        String comment = String.join(" ", lines.subList(begin, end)).replaceAll("[\\s*]+", " ");
        reasons.put(name.group(1).equals("class") ? type : type + "." + name.group(2), comment);
      }
    }
  }

  @Test
  void eachSaysWhyAndStandsHere() {
    assertThat(reasons.keySet()).containsExactlyInAnyOrderElementsOf(WAITING);
    assertThat(reasons).allSatisfy((test, comment) -> assertThat(comment).contains("real time: "));
  }

  @Test
  void whatWaitsWhateverHappensHasTheTag() throws IOException {
    for (Path file : files) {
      String text = Files.readString(file);
      if (WAITS.matcher(text).find()) {
        assertThat(text).as("%s", file).contains(TAG);
      }
    }
  }
}
