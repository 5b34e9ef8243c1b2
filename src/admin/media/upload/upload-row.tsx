import { ActionIcon, Anchor, Button, Tooltip } from '@mantine/core'
import { IconAlertTriangle, IconCheck, IconRefresh, IconX } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { ApiError, api } from '#admin/lib/api.ts'
import { errorText } from '#admin/lib/errors.ts'
import { toast } from '#admin/lib/toast.ts'
import { useFileSize } from '#admin/ui/file-size.ts'
import type { Asset } from '#shared/contract/assets.ts'
import { assetsChanged } from '../assets.queries.ts'
import { Thumbnail } from '../thumbnail.tsx'
import { maximumBytes, maximumFiles } from './check.ts'
import classes from './upload-panel.module.css'
import { cancelUpload, forgetUpload, isFinished, keepDuplicate, retryUpload, type Upload } from './uploads.ts'

const isBad = ({ state }: Upload) => state === 'refused' || state === 'failed'

/**
 * Returns whether an upload can be retried: a cancelled one, or a failed one unless the server rejected it with a
 * status below 429.
 */
const canRetry = ({ state, error }: Upload) =>
  state === 'cancelled' ||
  (state === 'failed' && (!(error instanceof ApiError) || error.status === 0 || error.status >= 429))

/** The uploads; failed and rejected ones are first. */
export function UploadRows({ uploads }: { uploads: readonly Upload[] }) {
  const sorted = [...uploads.filter(isBad), ...uploads.filter((upload) => !isBad(upload))]
  return (
    <ul className={classes.rows}>
      {sorted.map((upload) => (
        <UploadRow key={upload.id} upload={upload} />
      ))}
    </ul>
  )
}

function UploadRow({ upload }: { upload: Upload }) {
  const t = useTranslations('assets.upload')
  const size = useFileSize()
  const { id, name, state, source, asset } = upload
  const total = source instanceof File ? source.size : null
  const bad = isBad(upload)
  return (
    <li className={classes.row} data-state={state}>
      <span className={classes.sign}>
        {asset ? (
          <Thumbnail asset={asset} cover small />
        ) : bad ? (
          <IconAlertTriangle size={18} aria-hidden="true" />
        ) : null}
      </span>
      <div className={classes.words}>
        <div className={classes.name}>
          {asset ? (
            <Anchor
              size="sm"
              renderRoot={(props) => (
                <Link {...props} to="/$p/-/assets" params={{ p: upload.p }} search={{ open: asset._id }} />
              )}
            >
              {asset.fileName}
            </Anchor>
          ) : (
            name
          )}
        </div>
        {!isFinished(upload) && state !== 'queued' && (
          <progress
            aria-label={t('progressOf', { name })}
            className={classes.progress}
            // Without a value the bar is indeterminate, because the duration of checking and the size of a URL's file
            // are unknown.
            {...(total === null || state === 'checking' ? {} : { value: upload.sent, max: total })}
          />
        )}
        <div className={classes.state} role={bad ? 'alert' : undefined}>
          <StateText upload={upload} size={size} />
        </div>
        {asset?.duplicateOf && <Duplicate upload={upload} asset={asset} duplicateOf={asset.duplicateOf} />}
      </div>
      {state === 'done' && <IconCheck size={18} className={classes.done} aria-hidden="true" />}
      {canRetry(upload) && (
        <Tooltip label={t('retry')}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('retryOf', { name })}
            onClick={() => retryUpload(id)}
          >
            <IconRefresh size={16} />
          </ActionIcon>
        </Tooltip>
      )}
      {state !== 'done' && (
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={isFinished(upload) ? t('forgetOf', { name }) : t('cancelOf', { name })}
          onClick={() => (isFinished(upload) ? forgetUpload(id) : cancelUpload(id))}
        >
          <IconX size={16} />
        </ActionIcon>
      )}
    </li>
  )
}

function StateText({ upload, size }: { upload: Upload; size: (bytes: number) => string }) {
  const t = useTranslations('assets.upload')
  const { state, source, sent, refusal, error, asset } = upload
  if (refusal) return t(`refused.${refusal}`, { files: maximumFiles, size: size(maximumBytes) })
  if (state === 'failed') return errorText(error)
  if (state === 'sending' && source instanceof File)
    return t('sending', { sent: size(sent), total: size(source.size) })
  if (state === 'sending') return t('fetching')
  if (state === 'done') return asset ? size(asset.fileSize) : null
  return state === 'refused' ? null : t(state)
}

interface DuplicateProps {
  upload: Upload
  asset: Asset
  duplicateOf: string
}

/** A note that the library already contains this file. Both files are kept until the user decides. */
function Duplicate({ upload: { id, p, forForm }, asset, duplicateOf }: DuplicateProps) {
  const t = useTranslations('assets.upload')
  const [isRemoving, setRemoving] = useState(false)
  if (isRemoving) return null

  async function removeNew() {
    setRemoving(true)
    try {
      await api('DELETE /api/project/{p}/asset/{id}', { params: { p, id: asset._id } })
      forgetUpload(id)
      void assetsChanged(p)
    } catch (error) {
      setRemoving(false)
      toast.error(errorText(error))
    }
  }

  return (
    <div className={classes.duplicate} role="status">
      <span>{t('duplicate')}</span>
      <span className={classes.choices}>
        <Anchor
          size="xs"
          renderRoot={(props) => (
            <Link {...props} to="/$p/-/assets" params={{ p }} search={{ open: duplicateOf }} />
          )}
        >
          {t('openOther')}
        </Anchor>
        <Button variant="default" size="compact-xs" onClick={() => keepDuplicate(id)}>
          {t('keepBoth')}
        </Button>
        {!forForm && (
          <Button variant="default" size="compact-xs" onClick={() => void removeNew()}>
            {t('removeNew')}
          </Button>
        )}
      </span>
    </div>
  )
}
