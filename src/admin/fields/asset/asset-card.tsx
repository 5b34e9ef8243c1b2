import { ActionIcon, Button, Skeleton, Text, TextInput, Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconExternalLink, IconReplace } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { afterPress } from '#admin/lib/after-press.ts'
import { api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { extensionOf, kindOf, titleOfAsset } from '#admin/media/asset-words.ts'
import { assetsChanged, shownAssetQuery } from '#admin/media/assets.queries.ts'
import { ElsewhereNote } from '#admin/media/elsewhere-note.tsx'
import { Thumbnail } from '#admin/media/thumbnail.tsx'
import { useAssetRights } from '#admin/media/use-asset-rights.ts'
import { useFileSize } from '#admin/ui/file-size.ts'
import type { Asset } from '#shared/contract/assets.ts'
import classes from './asset.module.css'

interface AssetCardProps {
  p: string
  id: string
  readOnly: boolean
  /** Whether the field can contain only one asset. Its picture is then shown larger. */
  single: boolean
  onReplace: () => void
}

/** One asset that a document uses. */
export function AssetCard({ p, id, readOnly, single, onReplace }: AssetCardProps) {
  const t = useTranslations('fields.asset')
  const size = useFileSize()
  const { data: asset, isPending, isError } = useQuery(shownAssetQuery(p, id))
  if (isPending) return <Skeleton height={88} />
  if (!asset)
    return (
      <div className={classes.card}>
        <div className={classes.words}>
          <Text size="sm" c="var(--mantine-color-error)">
            {isError ? t('loadFailed') : t('missing')}
          </Text>
          <Text size="xs" c="dimmed" ff="monospace">
            {id}
          </Text>
        </div>
        {!readOnly && (
          <div className={classes.actions}>
            <Button
              variant="default"
              size="xs"
              leftSection={<IconReplace size={14} aria-hidden="true" />}
              aria-haspopup="dialog"
              aria-label={t('replaceOf', { name: id })}
              onClick={onReplace}
            >
              {t('replace')}
            </Button>
          </div>
        )}
      </div>
    )
  const name = titleOfAsset(asset)
  const { width, height } = asset
  return (
    <div className={classes.card} data-large={(single && asset.thumbnail !== null) || undefined}>
      <span className={classes.picture}>
        <Thumbnail asset={asset} />
      </span>
      <div className={classes.words}>
        <div className={classes.title}>{name}</div>
        <div className={classes.facts}>
          {[
            extensionOf(asset.fileName).toUpperCase(),
            width !== null && height !== null ? `${width}×${height}` : '',
            size(asset.fileSize),
          ]
            .filter(Boolean)
            .join('・')}
        </div>
        {asset.elsewhere && <ElsewhereNote asset={asset} />}
        {kindOf(asset.fileType) === 'image' && <AltText p={p} asset={asset} readOnly={readOnly} />}
      </div>
      <div className={classes.actions}>
        {!readOnly && (
          <Tooltip label={t('replace')}>
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-haspopup="dialog"
              aria-label={t('replaceOf', { name })}
              onClick={onReplace}
            >
              <IconReplace size={16} />
            </ActionIcon>
          </Tooltip>
        )}
        <Tooltip label={t('open')}>
          <ActionIcon
            component="a"
            href={`/${encodeURIComponent(p)}/-/assets?open=${id}`}
            target="_blank"
            rel="noopener"
            variant="subtle"
            color="gray"
            aria-label={t('openOf', { name })}
          >
            <IconExternalLink size={16} />
          </ActionIcon>
        </Tooltip>
      </div>
    </div>
  )
}

/**
 * The alternative text of a picture, or a warning if it is missing. Users who may edit the asset can edit the text in
 * place.
 */
function AltText({ p, asset, readOnly }: { p: string; asset: Asset; readOnly: boolean }) {
  const t = useTranslations('fields.asset')
  const mayEdit = useAssetRights(p).edit(asset) && !readOnly
  const [typed, setTyped] = useState<string | null>(null)
  const missing = asset.altText === ''

  async function save() {
    const altText = typed?.trim()
    afterPress(() => setTyped(null))
    if (altText === undefined || altText === asset.altText) return
    try {
      const answer = await api('PATCH /api/project/{p}/assets/{id}', {
        params: { p, id: asset._id },
        body: { data: { altText } },
      })
      await assetsChanged(p, answer.asset)
    } catch (error) {
      setTyped(altText)
      toast.error(errorText(error))
    }
  }

  if (typed !== null)
    return (
      <TextInput
        size="xs"
        autoFocus
        aria-label={t('altOf', { name: titleOfAsset(asset) })}
        placeholder={t('altPlaceholder')}
        maxLength={1000}
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          // During a composition, the input method handles Enter and Escape.
          if (event.nativeEvent.isComposing || event.keyCode === 229) return
          if (event.key === 'Enter') {
            event.preventDefault()
            event.currentTarget.blur()
          } else if (event.key === 'Escape') {
            event.stopPropagation()
            setTyped(null)
          }
        }}
      />
    )
  return (
    <div className={classes.alt}>
      {missing && <IconAlertTriangle size={14} aria-hidden="true" />}
      <span className={classes.altText}>{missing ? t('noAlt') : t('alt', { text: asset.altText })}</span>
      {mayEdit && (
        <Button variant="subtle" size="compact-xs" onClick={() => setTyped(asset.altText)}>
          {missing ? t('writeAlt') : t('changeAlt')}
        </Button>
      )}
    </div>
  )
}
