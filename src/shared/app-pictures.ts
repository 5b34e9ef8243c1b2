/** A picture, identified by the `_id` of its asset in the space. */
export interface AppImage {
  type: 'image'
  value: string
  fileName: string
}

export type AppIcon = { type: 'emoji'; value: string } | AppImage

/**
 * Returns the picture as responses contain it: `addressOf` replaces the `_id` in `value` by the address of the asset.
 */
export const presentAppImage = (
  { type, value, fileName }: AppImage,
  addressOf: (id: string, fileName: string) => string,
) => ({ type, value: addressOf(value, fileName) })
export const presentAppIcon = (icon: AppIcon, addressOf: (id: string, fileName: string) => string) =>
  icon.type === 'image' ? presentAppImage(icon, addressOf) : icon
