/** A picture, identified by the `_id` of its asset in the space. */
export interface AppImage {
  type: 'image'
  value: string
  fileName: string
}

export type AppIcon = { type: 'emoji'; value: string } | AppImage

/**
 * Returns the picture for responses. The URL of the asset, which `addressOf` returns, replaces the `_id` in `value`.
 */
export const presentAppImage = (
  { type, value, fileName }: AppImage,
  addressOf: (id: string, fileName: string) => string,
) => ({ type, value: addressOf(value, fileName) })
export const presentAppIcon = (icon: AppIcon, addressOf: (id: string, fileName: string) => string) =>
  icon.type === 'image' ? presentAppImage(icon, addressOf) : icon
