//   npm install trading-admin-api vitest
//   npx vitest run harness.vitest.test.mjs
import { test } from "vitest";
import { describeWith } from "./harness.mjs";

describeWith(test);
