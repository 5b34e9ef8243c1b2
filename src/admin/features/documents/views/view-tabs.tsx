import { ActionIcon, Menu, Tooltip } from '@mantine/core'
import {
  IconArrowLeft,
  IconArrowRight,
  IconCopy,
  IconDots,
  IconPencil,
  IconPlus,
  IconTrash,
  IconUser,
} from '@tabler/icons-react'
import { Link, useNavigate } from '@tanstack/react-router'
import { Suspense, useEffect, useRef, useState } from 'react'
import { useTranslations } from 'use-intl'
import { errorText } from '#admin/lib/errors.ts'
import { lazyPart } from '#admin/lib/lazy-part.ts'
import { toast } from '#admin/lib/toast.ts'
import { useCanInApp } from '#admin/lib/use-can.ts'
import type { Model } from '#shared/contract/models.ts'
import type { View } from '#shared/contract/views.ts'
import { shorten } from '#shared/unicode.ts'
import type { ModelPlace } from '../documents.queries.ts'
import { withoutView } from '../list/list-search.ts'
import { SaveView } from './save-view.tsx'
import { viewIcons } from './view-icons.ts'
import type { ListState } from './view-state.ts'
import classes from './view-tabs.module.css'
import { createView, deleteView, orderViews } from './views.queries.ts'

const ViewDialog = lazyPart(async () => (await import('./view-dialog.tsx')).ViewDialog)

interface ViewTabsProps {
  model: Model
  place: ModelPlace
  views: readonly View[]
  state: ListState
}

/**
 * The views of a model as tabs, first the list without a view, and the menu of the open view. The tab of a
 * single-document view opens its document instead of a list, so its menu is shown even if the view is not open.
 */
export function ViewTabs({ model, place, views, state }: ViewTabsProps) {
  const t = useTranslations('views')
  const navigate = useNavigate()
  const mayManage = useCanInApp(place.p, place.a)('view.manage')
  const [dialog, setDialog] = useState<'new' | View | null>(null)
  const { view: open, edited } = state
  const openTab = useRef<HTMLLIElement>(null)
  // Scrolls the open tab with its menu into view. The braces are needed: newer browsers return a promise from
  // `scrollIntoView`, and React would use it as a clean-up.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another open view or another order moves the open tab.
  useEffect(() => {
    openTab.current?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [open?.uid, views])
  const open_ = (view: View) =>
    navigate({ to: '/$p/$a/$m', params: place, search: { view: view.uid }, replace: true })

  return (
    <nav className={classes.tabs} aria-label={t('label')}>
      <ul className={classes.list}>
        <li>
          <Link
            to="/$p/$a/$m"
            params={place}
            search={views.length > 0 ? { view: withoutView } : {}}
            className={classes.tab}
            activeOptions={{ exact: true }}
            data-open={!open || undefined}
            aria-current={open ? undefined : 'page'}
          >
            {t('all')}
          </Link>
        </li>
        {views.map((view) => {
          const Sign = viewIcons[view.type]
          const isOpen = view.uid === open?.uid
          return (
            <li key={view.uid} className={classes.item} {...(isOpen ? { ref: openTab } : {})}>
              <Link
                to="/$p/$a/$m"
                params={place}
                search={{ view: view.uid }}
                className={classes.tab}
                data-open={isOpen || undefined}
                aria-current={isOpen ? 'page' : undefined}
              >
                <Sign size={15} aria-hidden="true" />
                {view.name}
                {view.personal && <IconUser size={13} role="img" aria-label={t('personal')} />}
                {isOpen && edited && <span className={classes.dot} role="img" aria-label={t('unsaved')} />}
              </Link>
              {(isOpen || view.type === 'SINGLETON') && (view.personal || mayManage) && (
                <ViewMenu
                  view={view}
                  isOpen={isOpen}
                  place={place}
                  views={views.filter(({ personal }) => personal === view.personal)}
                  onEdit={() => setDialog(view)}
                  onOpen={(next) => void open_(next)}
                />
              )}
            </li>
          )
        })}
      </ul>
      <Tooltip label={t('new')}>
        <ActionIcon variant="subtle" color="gray" aria-label={t('new')} onClick={() => setDialog('new')}>
          <IconPlus size={16} />
        </ActionIcon>
      </Tooltip>
      {edited && (
        <SaveView
          place={place}
          state={state}
          onNew={() => setDialog('new')}
          onOpen={(next) => void open_(next)}
        />
      )}
      {dialog && (
        <Suspense>
          <ViewDialog
            model={model}
            place={place}
            view={dialog === 'new' ? undefined : dialog}
            settings={state.settings}
            mayManage={mayManage}
            onClose={(made) => {
              setDialog(null)
              if (made && (dialog === 'new' || dialog.uid === open?.uid)) void open_(made)
            }}
          />
        </Suspense>
      )}
    </nav>
  )
}

interface ViewMenuProps {
  view: View
  isOpen: boolean
  /** The views of this kind (shared or personal), in order. */
  views: readonly View[]
  place: ModelPlace
  onEdit: () => void
  onOpen: (view: View) => void
}

function ViewMenu({ view, isOpen, views, place, onEdit, onOpen }: ViewMenuProps) {
  const t = useTranslations('views')
  const navigate = useNavigate()
  const at = views.findIndex(({ uid }) => uid === view.uid)
  const attempt = (action: () => Promise<void>) =>
    void action().catch((error: unknown) => toast.error(errorText(error)))

  function move(step: -1 | 1) {
    const order = [...views]
    order.splice(at + step, 0, ...order.splice(at, 1))
    attempt(() => orderViews(place, view.personal, order))
  }

  async function remove() {
    await deleteView(place, view)
    if (isOpen)
      await navigate({ to: '/$p/$a/$m', params: place, search: { view: withoutView }, replace: true })
    toast.success(t('deleted', { name: view.name }), { label: t('undo'), run: () => attempt(restore) })
  }

  /** Recreates a deleted view at its former position. */
  async function restore() {
    const made = await createView(place, view)
    const order = views.map((one) => (one.uid === view.uid ? made : one))
    // If views were added or deleted meanwhile, the server refuses this order, and the current order stays.
    await orderViews(place, view.personal, order).catch(() => undefined)
    if (isOpen) onOpen(made)
  }

  return (
    <Menu position="bottom-start" width={220}>
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size={24} aria-label={t('actionsOf', { name: view.name })}>
          <IconDots size={15} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconPencil size={16} />} onClick={onEdit}>
          {t('edit')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconCopy size={16} />}
          onClick={() =>
            attempt(async () =>
              onOpen(
                await createView(place, { ...view, name: t('copyOf', { name: shorten(view.name, 85) }) }),
              ),
            )
          }
        >
          {t('duplicate')}
        </Menu.Item>
        <Menu.Item leftSection={<IconArrowLeft size={16} />} disabled={at <= 0} onClick={() => move(-1)}>
          {t('moveForward')}
        </Menu.Item>
        <Menu.Item
          leftSection={<IconArrowRight size={16} />}
          disabled={at === views.length - 1}
          onClick={() => move(1)}
        >
          {t('moveBack')}
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconTrash size={16} />}
          c="var(--mantine-color-error)"
          onClick={() => attempt(remove)}
        >
          {t('delete')}
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  )
}
