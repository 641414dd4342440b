package io.bloomguard.it.plus;

import com.baomidou.mybatisplus.core.mapper.BaseMapper;
import io.bloomguard.annotation.BloomGuarded;
import java.io.Serializable;

public interface UserMapper extends BaseMapper<User> {

  @Override
  @BloomGuarded(filter = "users", key = "#id")
  User selectById(Serializable id);
}
