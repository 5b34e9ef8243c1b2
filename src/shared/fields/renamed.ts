import { isAssetAddress, mapAssetAddresses } from '../asset-address.ts'
import { mapDocumentLinks } from '../document-links.ts'
import type { OtherNames } from './field-type.ts'

/** Returns a text with the documents and assets in its links and addresses replaced. */
export const renamedText = (text: string, names: OtherNames): string =>
  mapAssetAddresses(mapDocumentLinks(text, names.document), names.assetAddress)

/** Replaces the asset in a plain text if the whole text is its address. Addresses within prose stay unchanged. */
export const renamedAddress = (text: string, { assetAddress }: OtherNames): string =>
  isAssetAddress(text) ? mapAssetAddresses(text, assetAddress) : text
