package io.bloomguard.it.plus;

import com.baomidou.mybatisplus.extension.service.impl.ServiceImpl;
import org.springframework.stereotype.Service;

/** The users, as MyBatis-Plus' services write them. */
@Service
public class UserService extends ServiceImpl<UserMapper, User> {}
