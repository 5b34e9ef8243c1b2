import { isAssetAddress, mapAssetAddresses } from '../asset-address.ts'
import { mapDocumentLinks } from '../document-links.ts'
import type { OtherNames } from './field-type.ts'

/** A text whose links and addresses name documents and assets otherwise. */
export const renamedText = (text: string, names: OtherNames): string =>
  mapAssetAddresses(mapDocumentLinks(text, names.document), names.assetAddress)

/** The same of plain text, where that is the address of an asset and nothing else: what people write about addresses is theirs. */
export const renamedAddress = (text: string, { assetAddress }: OtherNames): string =>
  isAssetAddress(text) ? mapAssetAddresses(text, assetAddress) : text
