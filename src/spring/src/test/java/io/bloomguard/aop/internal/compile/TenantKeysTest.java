package io.bloomguard.aop.internal.compile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.Caching;
import io.bloomguard.aop.Guarding;
import io.bloomguard.aop.TestGuards;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.data.jdbc.repository.query.Query;

/** Queries that choose rows by the caller, and keys that do not. */
class TenantKeysTest {

  interface Documents {

    @Query("select d from Document d where d.id = :id and d.owner = ?#{principal.username}")
    Object ofPrincipal(long id);

    @Query("select d from Document d where d.id = :id and d.tenant = :#{@current.tenant('x')}")
    Object ofBean(long id);

    @Query("select * from document where id = ?1 and t = :#{ T(app.Current).tenant() }")
    Object ofType(long id);

    @Query("select * from document where id = :id and owner = :#{authentication.name}")
    Object ofAuthentication(long id);

    @Query("select d from #{#entityName} d where d.id = :#{#id} or d.id = ?#{[0]}")
    Object argument(long id);

    @Query(
        "select d from Document d where d.name like :#{escape([0])} escape ?#{escapeCharacter()}")
    Object escaped(String name);

    @Query("select d from Document d where d.name = :#{#name == null ? 'none' : #name.strip()}")
    Object chosen(String name);

    Object derived(String name);
  }

  static class Guarded {

    @BloomGuarded(filter = "products", key = "#id")
    @Query("select d from Document d where d.id = :id and d.owner = ?#{principal.username}")
    public String find(long id) {
      return "found";
    }
  }

  static class Kept {

    @BloomGuarded(filter = "products", key = "{#tenantId, #id}")
    @Query("select d from Document d where d.id = :id and d.owner = ?#{principal.username}")
    public String find(long tenantId, long id) {
      return "found";
    }

    @BloomGuarded(filter = "products", key = "#id", caching = Caching.NONE)
    @Query("select d from Document d where d.id = :id and d.owner = ?#{principal.username}")
    public String find(long id) {
      return "found";
    }
  }

  private static String reason(String method) {
    return Arrays.stream(Documents.class.getDeclaredMethods())
        .filter(each -> each.getName().equals(method))
        .map(each -> String.valueOf(TenantKeys.queryReason(each)))
        .findFirst()
        .orElse("null");
  }

  @ParameterizedTest
  @ValueSource(strings = {"ofPrincipal", "ofBean", "ofType", "ofAuthentication"})
  void aQueryWithAValueOfTheCallerIsKnown(String method) {
    assertThat(reason(method)).contains("#{", "more than the method's arguments");
  }

  @ParameterizedTest
  @ValueSource(strings = {"argument", "escaped", "chosen", "derived"})
  void aQueryOfItsArgumentsHasOneAnswer(String method) {
    assertThat(reason(method)).isEqualTo("null");
  }

  @Test
  void aKeyWithoutTheTenantIsRefusedUnlessNothingIsKept() {
    assertThatThrownBy(() -> Guarding.context(new TestGuards(), Guarded.class))
        .hasStackTraceContaining("names no tenant, but its query has ?#{principal.username}");
    Guarding.context(new TestGuards(), Kept.class).close();
  }
}
