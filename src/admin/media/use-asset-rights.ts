import { useAccount } from '#admin/lib/session.ts'
import { useCanInSpace } from '#admin/lib/use-can.ts'
import type { Asset } from '#shared/contract/assets.ts'

/**
 * Returns the caller's rights in the media library of a space. The server enforces them; this hook only serves to hide
 * and disable controls.
 */
export function useAssetRights(p: string) {
  const can = useCanInSpace(p)
  const account = useAccount()
  return {
    upload: can('asset.write.own'),
    /** Returns whether the caller may edit the asset. Some callers may only edit their own uploads. */
    edit: (asset: Pick<Asset, 'createdBy'>): boolean =>
      can('asset.write.any') || (can('asset.write.own') && asset.createdBy?._id === account?._id),
    manageTags: can('tag.manage'),
  }
}
