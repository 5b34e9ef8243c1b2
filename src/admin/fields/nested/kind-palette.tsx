import { Text, TextInput, UnstyledButton } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { isComposing } from '#admin/lib/composing.ts'
import { Dialog } from '#admin/ui/dialog.tsx'
import type { CustomType } from '#shared/contract/custom-types.ts'
import type { LookOf } from '../field-props.ts'
import { type Kind, typeName } from './items.ts'
import classes from './nested.module.css'

interface KindPaletteProps {
  kinds: readonly Kind[]
  customTypes: readonly CustomType[]
  lookOf: LookOf
  onChoose: (kind: Kind) => void
  onClose: () => void
}

const folded = (text: string) => text.normalize('NFKC').toLowerCase()

/** A dialog to choose a kind of item. The user can search by name and choose with arrows and Enter. */
export function KindPalette({ kinds, customTypes, lookOf, onChoose, onClose }: KindPaletteProps) {
  const t = useTranslations('fields.nested')
  const types = useTranslations('models.types')
  const [search, setSearch] = useState('')
  const list = useRef<HTMLUListElement>(null)
  const named = kinds.map((kind) => ({
    kind,
    name: typeName(kind.field, customTypes, (type) => types(`${type}.name`)),
  }))
  const wanted = folded(search.trim())
  const begins = ({ name }: { name: string }) => Number(folded(name).startsWith(wanted))
  const found = named
    .filter(({ name }) => folded(name).includes(wanted))
    .sort((one, other) => begins(other) - begins(one))

  function onKeyDown(event: KeyboardEvent) {
    if (isComposing(event)) return
    const buttons = [...(list.current?.querySelectorAll<HTMLElement>('button') ?? [])]
    const at = buttons.indexOf(document.activeElement as HTMLElement)
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      buttons[(Math.max(at, step > 0 ? -1 : 0) + step + buttons.length) % buttons.length]?.focus()
    } else if (event.key === 'Enter' && at < 0 && found[0]) {
      event.preventDefault()
      onChoose(found[0].kind)
    }
  }

  return (
    <Dialog title={t('choose')} onClose={onClose}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: handles the keys of the elements inside. */}
      <div onKeyDown={onKeyDown}>
        <TextInput
          aria-label={t('search')}
          placeholder={t('search')}
          leftSection={<IconSearch size={16} />}
          value={search}
          data-autofocus
          autoComplete="off"
          onChange={(event) => setSearch(event.currentTarget.value)}
        />
        <ul ref={list} className={classes.kinds}>
          {found.map(({ kind, name }) => {
            const KindIcon = lookOf(kind.field).icon
            return (
              <li key={kind.field._id}>
                <UnstyledButton className={classes.kind} onClick={() => onChoose(kind)}>
                  <KindIcon size={18} aria-hidden="true" />
                  {name}
                </UnstyledButton>
              </li>
            )
          })}
        </ul>
        {found.length === 0 && (
          <Text size="sm" c="dimmed" mt="sm" role="status">
            {t(kinds.length === 0 ? 'noKinds' : 'noneFound')}
          </Text>
        )}
      </div>
    </Dialog>
  )
}
