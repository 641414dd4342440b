package io.bloomguard.guard.internal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The property of a row that has the scope of its keys. */
class KeyScopePropertyTest {

  /** Names in parentheses are of associations. */
  @ParameterizedTest
  @CsvSource({
    "'', 'id,tenantId,name', tenantId",
    "'', 'id,tenant_id', tenant_id",
    "'', 'id,tenant', tenant",
    "'', 'tenantName,tenant,id', tenant",
    "'', 'tenant,tenantId', tenantId",
    "'', '(tenant),tenantId', tenantId",
    "'', '(tenant),id',",
    "'', 'ownerTenantKey,id', ownerTenantKey",
    "'', 'ownerTenantKey,(tenant)', ownerTenantKey",
    "'', 'sourceTenant,targetTenant',",
    "shop_id, 'tenantId,shopId', shopId",
    "shop_id, '(shopId),tenantId', tenantId",
    "'', 'id,name',"
  })
  void isASimpleOne(String column, String properties, @Nullable String expected) {
    List<String> named = Arrays.asList(properties.replaceAll("[()]", "").split(","));
    assertThat(KeyScope.property(column, named, name -> !properties.contains("(" + name + ")")))
        .isEqualTo(expected);
  }
}
