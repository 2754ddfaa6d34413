//   npm install trading-admin-api jest
//   NODE_OPTIONS=--experimental-vm-modules npx jest harness.jest.test.mjs
import { describeWith } from "./harness.mjs";

describeWith(globalThis.test);
