import type { AssetHost } from './asset-address.ts'

/**
 * Returns the absolute URL to which sites send a form. With a wildcard domain, the URL is on the host of the space,
 * otherwise on the origin of the installation. `formId`: the public id.
 */
export function formAddress({ url, domain }: AssetHost, spaceUid: string, formId: string): string {
  if (!domain) return `${url}/${spaceUid}.form/v1/${formId}`
  const protocol = url.startsWith('https:') ? 'https:' : 'http:'
  return `${protocol}//${spaceUid}.form.${domain}/v1/${formId}`
}
