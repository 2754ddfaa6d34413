/** The parts of `node-forge` that mangled passwords need: the whole of it takes longer to load than all other packages. */
declare module "node-forge/lib/des.js" {
  import type { cipher } from "node-forge";

  const des: {
    /** Of CBC; a key of 8 bytes is one of DES. All text is bytes in Latin-1. */
    createDecryptionCipher(key: string): Omit<cipher.BlockCipher, "finish"> & { finish(unpad: () => boolean): boolean };
  };
  export default des;
}

declare module "node-forge/lib/util.js" {
  import { util } from "node-forge";

  export default util;
}
