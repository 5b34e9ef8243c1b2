import { mapAssetAddresses } from '../asset-address.ts'
import { mapDocumentLinks } from '../document-links.ts'
import type { OtherNames } from './field-type.ts'

/** A text whose links and addresses name documents and assets otherwise. */
export const renamedText = (text: string, names: OtherNames): string =>
  mapAssetAddresses(mapDocumentLinks(text, names.document), names.assetAddress)
