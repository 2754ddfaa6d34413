//   npm install trading-admin-api
//   node --test harness.node.test.mjs
import { test } from "node:test";
import { describeWith } from "./harness.mjs";

describeWith(test);
