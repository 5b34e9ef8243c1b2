import { isAssetAddress, mapAssetAddresses } from '../asset-address.ts'
import { mapDocumentLinks } from '../document-links.ts'
import type { OtherNames } from './field-type.ts'

/** A text with the documents and assets in its links and addresses replaced. */
export const renamedText = (text: string, names: OtherNames): string =>
  mapAssetAddresses(mapDocumentLinks(text, names.document), names.assetAddress)

/**
 * The same for plain text, only when the whole text is the address of an asset: addresses within prose are left alone.
 */
export const renamedAddress = (text: string, { assetAddress }: OtherNames): string =>
  isAssetAddress(text) ? mapAssetAddresses(text, assetAddress) : text
