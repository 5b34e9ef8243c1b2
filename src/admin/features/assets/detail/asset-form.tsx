import {
  Alert,
  Anchor,
  Button,
  Group,
  SegmentedControl,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconCopy } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useId, useState } from 'react'
import { useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { useAccount } from '#admin/lib/session.ts'
import { usePersonName } from '#admin/lib/use-person-name.ts'
import { previewUrl, srcsetSnippet } from '#admin/media/asset-addresses.ts'
import { kindOf } from '#admin/media/asset-words.ts'
import { TagInput } from '#admin/media/tag-input.tsx'
import { useAssetRights } from '#admin/media/use-asset-rights.ts'
import { CopyButton, CopyField } from '#admin/ui/copy-field.tsx'
import { SaveState } from '#admin/ui/save-state.tsx'
import type { Asset } from '#shared/contract/assets.ts'
import { AssetActions } from './asset-actions.tsx'
import classes from './asset-drawer.module.css'
import { Facts } from './facts.tsx'
import { FocalPoint } from './focal-point.tsx'
import { Preview, previewWidth } from './preview.tsx'
import { useAssetEditor } from './use-asset-editor.ts'
import { UsedBy } from './used-by.tsx'

/**
 * The details of an asset. Users with `asset.write.any`, or with `asset.write.own` for their own uploads, can edit
 * them. Input is saved automatically.
 */
export function AssetForm({ p, asset, onClose }: { p: string; asset: Asset; onClose: () => void }) {
  const t = useTranslations('assets.detail')
  const nameOf = usePersonName()
  const rights = useAssetRights(p)
  const editor = useAssetEditor(p, asset)
  const [look, setLook] = useState<'preview' | 'focal'>('preview')
  const { values } = editor
  const account = useAccount()
  const isOwnChange = account !== null && editor.conflict?.latest.updatedBy?._id === account._id
  const readOnly = !rights.edit(asset)
  const isPicture = kindOf(asset.fileType) === 'image'
  const hasFocus = isPicture && asset.width !== null && asset.height !== null && !readOnly

  const text = (name: 'fileName' | 'title' | 'description' | 'altText', maximum: number) => ({
    label: t(name),
    value: values[name],
    maxLength: maximum,
    readOnly,
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      editor.set({ [name]: event.currentTarget.value }),
    onBlur: editor.flush,
    ...editor.composition,
  })

  return (
    <div className={classes.columns}>
      <div className={classes.side}>
        {hasFocus && (
          <SegmentedControl
            size="xs"
            aria-label={t('look')}
            value={look}
            onChange={(value) => setLook(value as typeof look)}
            data={[
              { value: 'preview', label: t('preview') },
              { value: 'focal', label: t('focal') },
            ]}
          />
        )}
        {look === 'focal' && hasFocus ? (
          <FocalPoint
            src={previewUrl(p, asset, previewWidth)}
            width={asset.width ?? 1}
            height={asset.height ?? 1}
            value={values.focalPoint}
            onChange={(focalPoint) => editor.set({ focalPoint })}
          />
        ) : (
          <div className={classes.preview}>
            <Preview key={asset.version} p={p} asset={asset} />
          </div>
        )}
        <AssetActions p={p} asset={asset} readOnly={readOnly} onGone={onClose} />
      </div>
      <div className={classes.form}>
        <div className={classes.state}>
          {readOnly ? (
            <Text size="sm" c="dimmed">
              {t('readOnly')}
            </Text>
          ) : (
            <SaveState value={editor.state} />
          )}
        </div>
        {editor.error && editor.state.state === 'failed' && (
          <Alert color="red" variant="light" role="alert">
            {errorText(editor.error)}
          </Alert>
        )}
        {editor.conflict && (
          <Alert
            color="orange"
            variant="light"
            role="alert"
            title={t('conflict')}
            // Orange text on light orange has too little contrast.
            styles={{ title: { color: 'var(--mantine-color-text)' } }}
          >
            <Text size="sm">
              {t('conflictText', {
                name: isOwnChange ? t('self') : (nameOf(editor.conflict.latest.updatedBy) ?? t('somebody')),
                fields: editor.conflict.names.map((name) => t(name)).join(t('separator')),
              })}
            </Text>
            <Group gap="xs" mt="xs">
              <Button size="xs" onClick={() => editor.resolve(true)}>
                {t('keepMine')}
              </Button>
              <Button size="xs" variant="default" onClick={() => editor.resolve(false)}>
                {t('takeTheirs')}
              </Button>
            </Group>
          </Alert>
        )}
        {asset.duplicateOf && (
          <Alert color="gray" variant="light" icon={<IconCopy size={18} />}>
            <Text size="sm">
              {t('duplicate')}{' '}
              <Anchor
                size="sm"
                renderRoot={(props) => (
                  <Link
                    {...props}
                    to="/$p/-/assets"
                    params={{ p }}
                    search={{ open: asset.duplicateOf ?? '' }}
                  />
                )}
              >
                {t('openOther')}
              </Anchor>
            </Text>
          </Alert>
        )}
        {isPicture && (
          <Textarea
            {...text('altText', 1000)}
            description={t('altTextHint')}
            autosize
            minRows={1}
            maxRows={4}
          />
        )}
        <TextInput {...text('title', 255)} />
        <Textarea {...text('description', 2000)} autosize minRows={2} maxRows={8} />
        <TagInput
          p={p}
          label={t('tags')}
          value={values.tags}
          onChange={(tags) => editor.set({ tags }, true)}
          disabled={readOnly}
          creates
        />
        <TextInput {...text('fileName', 255)} description={t('fileNameHint')} />
        <Switch
          label={t('private')}
          description={t('privateHint')}
          checked={values.private}
          disabled={readOnly}
          onChange={(event) => editor.set({ private: event.currentTarget.checked }, true)}
        />
        <CopyField
          label={t('url')}
          value={new URL(asset.src, location.origin).href}
          copyLabel={t('copyUrl')}
        />
        {isPicture && (
          <Group gap="xs">
            <Text size="sm" c="dimmed">
              {t('snippet')}
            </Text>
            <CopyButton value={srcsetSnippet(asset)} label={t('copySnippet')} />
          </Group>
        )}
        <Part title={t('uses')}>
          <UsedBy p={p} id={asset._id} />
        </Part>
        <Part title={t('facts')}>
          <Facts asset={asset} />
        </Part>
      </div>
    </div>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  const id = useId()
  return (
    <section className={classes.part} aria-labelledby={id}>
      <h3 id={id}>{title}</h3>
      {children}
    </section>
  )
}
