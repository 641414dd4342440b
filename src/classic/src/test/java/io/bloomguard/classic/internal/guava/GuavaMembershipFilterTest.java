package io.bloomguard.classic.internal.guava;

import io.bloomguard.filter.FilterShape;
import io.bloomguard.filter.KeyHasher;
import io.bloomguard.filter.Layout;
import io.bloomguard.filter.Sizing;
import io.bloomguard.filter.internal.KeyFunnel;
import io.bloomguard.filter.internal.MembershipFilter;
import io.bloomguard.filter.internal.MembershipFilterContractTest;
import java.util.stream.Stream;

/** What Guava's layout promises as every other does. */
class GuavaMembershipFilterTest extends MembershipFilterContractTest {

  @Override
  protected Stream<FilterShape> shapes(long n, double p) {
    return Stream.of(Sizing.shape(Layout.GUAVA, n, p));
  }

  @Override
  protected MembershipFilter create(FilterShape shape, KeyHasher hasher) {
    return GuavaFilter.create(shape, hasher.folding(), KeyFunnel.STRING_UTF8);
  }
}
