import { MultiSelect, TagsInput, type TagsInputProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslations } from 'use-intl'
import { api } from '#admin/lib/api.ts'
import { inputErrorText } from '#admin/lib/errors.ts'
import { assetsChanged, tagsQuery } from './assets.queries.ts'
import { useAssetRights } from './use-asset-rights.ts'

interface TagInputProps extends Pick<TagsInputProps, 'label' | 'description' | 'disabled'> {
  p: string
  /** `_id`s of tags. */
  value: readonly string[]
  onChange: (ids: string[]) => void
  /** Whether an unknown name creates a tag, if the user may manage tags. */
  creates?: boolean
}

/** Selects tags by name, and creates new ones if `creates` is set. */
export function TagInput({ p, value, onChange, creates = false, ...props }: TagInputProps) {
  const t = useTranslations('assets.tags')
  const { data: tags = [] } = useQuery(tagsQuery(p))
  const { manageTags } = useAssetRights(p)
  const [problem, setProblem] = useState<string | null>(null)
  // The tags may have been deleted in the meantime.
  const known = value.filter((id) => tags.some((tag) => tag._id === id))
  const nameOf = (id: string) => tags.find((tag) => tag._id === id)?.name ?? ''

  if (!creates || !manageTags)
    return (
      <MultiSelect
        {...props}
        searchable
        data={tags.map(({ _id, name }) => ({ value: _id, label: name }))}
        value={known}
        onChange={onChange}
        nothingFoundMessage={t('none')}
        placeholder={known.length === 0 ? t('choose') : ''}
      />
    )

  async function take(names: string[]) {
    setProblem(null)
    let ids = names.flatMap((name) => tags.find((tag) => tag.name === name)?._id ?? [])
    onChange(ids)
    const fresh = names.filter((name) => !tags.some((tag) => tag.name === name))
    for (const name of fresh) {
      try {
        const { tag } = await api('POST /api/project/{p}/tags', { params: { p }, body: { data: { name } } })
        ids = [...ids, tag._id]
        await assetsChanged(p)
      } catch (error) {
        setProblem(inputErrorText(error))
      }
    }
    if (fresh.length > 0) onChange(ids)
  }

  return (
    <TagsInput
      {...props}
      data={tags.map(({ name }) => name)}
      value={known.map(nameOf)}
      onChange={(names) => void take(names)}
      splitChars={[',', '、']}
      maxTags={100}
      error={problem}
      placeholder={known.length === 0 ? t('chooseOrMake') : ''}
    />
  )
}
