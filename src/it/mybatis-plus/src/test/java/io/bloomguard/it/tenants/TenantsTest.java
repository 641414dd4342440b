package io.bloomguard.it.tenants;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.baomidou.mybatisplus.core.mapper.BaseMapper;
import com.baomidou.mybatisplus.extension.plugins.MybatisPlusInterceptor;
import com.baomidou.mybatisplus.extension.plugins.handler.TenantLineHandler;
import com.baomidou.mybatisplus.extension.plugins.inner.DataPermissionInterceptor;
import com.baomidou.mybatisplus.extension.plugins.inner.DynamicTableNameInnerInterceptor;
import com.baomidou.mybatisplus.extension.plugins.inner.InnerInterceptor;
import com.baomidou.mybatisplus.extension.plugins.inner.PaginationInnerInterceptor;
import com.baomidou.mybatisplus.extension.plugins.inner.TenantLineInnerInterceptor;
import io.bloomguard.annotation.BloomGuarded;
import io.bloomguard.annotation.BloomPut;
import io.bloomguard.annotation.Caching;
import io.bloomguard.it.plus.RealMariaDb;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import net.sf.jsqlparser.expression.Expression;
import net.sf.jsqlparser.expression.LongValue;
import org.apache.ibatis.annotations.Insert;
import org.apache.ibatis.annotations.Param;
import org.apache.ibatis.annotations.Select;
import org.apache.ibatis.session.SqlSessionFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.mybatis.spring.mapper.MapperFactoryBean;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** Two tenants with a row each under one id, between which a plugin chooses. */
class TenantsTest {

  private static final ThreadLocal<Long> TENANT = ThreadLocal.withInitial(() -> 1L);

  record Document(long id, String title) {}

  interface ById extends BaseMapper<Document> {
    @BloomGuarded(filter = "documents", key = "#id")
    @Select("select id, title from document where id = #{id}")
    Document find(@Param("id") long id);
  }

  interface Decided extends BaseMapper<Document> {
    @BloomGuarded(filter = "documents", key = "#id", caching = Caching.NONE)
    @Select("select id, title from document where id = #{id}")
    Document find(@Param("id") long id);

    @BloomPut(filter = "documents", key = "#id")
    @Insert("insert into document (id, title) values (#{id}, #{title})")
    int add(@Param("id") long id, @Param("title") String title);
  }

  @SpringBootConfiguration
  @EnableAutoConfiguration
  static class Application {}

  static class TenantOfThread implements TenantLineHandler {
    @Override
    public Expression getTenantId() {
      return new LongValue(TENANT.get());
    }
  }

  static Stream<InnerInterceptor> dividing() {
    return Stream.of(
        new TenantLineInnerInterceptor(new TenantOfThread()),
        new TenantLineInnerInterceptor(new TenantOfThread()) {},
        new DataPermissionInterceptor((where, statement) -> where),
        new DynamicTableNameInnerInterceptor((sql, table) -> table));
  }

  @ParameterizedTest
  @MethodSource("dividing")
  void aMethodThatKeepsEntriesByTheIdAloneIsRefused(InnerInterceptor plugin) {
    assertThatThrownBy(() -> start(ById.class, plugin).close())
        .hasStackTraceContaining("names no tenant")
        .hasStackTraceContaining("which names no tenant, but")
        .hasStackTraceContaining("chooses rows or tables for each caller")
        .hasStackTraceContaining("NONE");
  }

  @Test
  void pagesDoNotChooseRows() {
    try (ConfigurableApplicationContext app = start(ById.class, new PaginationInnerInterceptor())) {
      assertThat(app.getBean(ById.class).find(-1)).isNull();
    }
  }

  @Test
  void eachTenantGetsItsRow() {
    InnerInterceptor plugin = new TenantLineInnerInterceptor(new TenantOfThread());
    try (ConfigurableApplicationContext app = start(Decided.class, plugin)) {
      Decided documents = app.getBean(Decided.class);
      as(2L, () -> documents.add(8, "second's alone"));
      as(1L, () -> documents.add(7, "first"));
      as(2L, () -> documents.add(7, "second"));
      for (int i = 0; i < 2; i++) {
        assertThat(as(1L, () -> documents.find(8))).isNull();
        assertThat(as(2L, () -> documents.find(8))).isNotNull();
        assertThat(as(1L, () -> documents.find(7)).title()).isEqualTo("first");
        assertThat(as(2L, () -> documents.find(7)).title()).isEqualTo("second");
      }
    }
  }

  private static <T> T as(long tenant, Supplier<T> work) {
    TENANT.set(tenant);
    try {
      return work.get();
    } finally {
      TENANT.remove();
    }
  }

  private static ConfigurableApplicationContext start(Class<?> mapper, InnerInterceptor inner) {
    MybatisPlusInterceptor plugin = new MybatisPlusInterceptor();
    plugin.addInnerInterceptor(inner);
    List<String> properties = new ArrayList<>(RealMariaDb.properties("tenants"));
    properties.addAll(
        List.of(
            "spring.config.name=none",
            "spring.sql.init.mode=always",
            "bloomguard.filters.documents.warm-up.min-keys=0",
            "bloomguard.filters.documents.source.jdbc.query=select id from document"));
    return new SpringApplicationBuilder(Application.class)
        .properties(properties.toArray(String[]::new))
        .initializers(
            context -> {
              var beans = (org.springframework.context.support.GenericApplicationContext) context;
              beans.registerBean(MybatisPlusInterceptor.class, () -> plugin);
              beans.registerBean(
                  "mapper",
                  MapperFactoryBean.class,
                  () -> {
                    MapperFactoryBean<?> bean = new MapperFactoryBean<>(mapper);
                    bean.setSqlSessionFactory(beans.getBean(SqlSessionFactory.class));
                    return bean;
                  },
                  definition ->
                      definition.setAttribute(
                          org.springframework.beans.factory.FactoryBean.OBJECT_TYPE_ATTRIBUTE,
                          mapper));
            })
        .run();
  }
}
