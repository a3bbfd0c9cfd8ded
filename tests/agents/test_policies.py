"""What the networks are told agrees with the position; piles are treated alike; hidden cards play no part."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sb3_contrib", reason="needs the extra train")
import torch
from sb3_contrib import MaskablePPO

from agents.card_features import (
    AT_BOTTOM,
    BLOCKS_CARDS,
    CARD_NUMBERS,
    COPY_NUMBERS,
    DEPTH,
    IN_DEAL,
    IN_PILE,
    ON_TOP,
    RUN_TO_TOP,
    TOLD,
    UP,
    UP_TWICE,
    CardReader,
)
from agents.card_policy import CardPolicy
from agents.feature_numbers import (
    COVERED,
    IN_RESERVE,
    IN_STOCK,
    IN_WASTE,
    NEXT_IN_STOCK,
    ON_FOUNDATION,
    ON_PILE,
    PILE_CARDS,
    PILE_NUMBERS,
    TABLE_NUMBERS,
    TOP_CARD,
    UNSEEN,
    WASTE_TOP,
)
from agents.features import FeatureReader
from agents.policies import PilePolicy
from solitaire_env import GAMES, ActionTable, Position, SolitaireVectorEnv, encode
from solitaire_env.cards import CARDS_PER_DECK, card_code
from solitaire_env.layout import NO_CARD
from solitaire_env.position import UNKNOWN
from solitaire_env.sb3 import SolitaireVecEnv


def positions(game: str, steps: int = 150, seed: int = 0) -> list[Position]:
    """Positions of random play, all that it comes by."""
    envs = SolitaireVectorEnv(game, 8)
    _, infos = envs.reset(seed=seed)
    generator, seen = np.random.default_rng(seed), []
    for _ in range(steps):
        seen += envs.positions()
        actions = [generator.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in infos["action_mask"]]
        _, _, _, _, infos = envs.step(np.array(actions))
    return seen


def counted(cards: list[str]) -> list[int]:
    numbers = [0] * CARDS_PER_DECK
    for card in cards:
        if card != UNKNOWN:
            numbers[card_code(card)] += 1
    return numbers


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("level", ["recall", "open", "table"])
def test_features_say_where_the_cards_are(game: str, level: str) -> None:
    rules = GAMES[game]
    for position in positions(game)[::7]:
        known = position.known(level)
        table, piles = FeatureReader(rules).read(encode(rules, position, level)[None])
        assert table.shape == (1, TABLE_NUMBERS)
        assert piles.shape == (1, rules.n_piles, PILE_NUMBERS)

        def of(which: int, numbers: np.ndarray = table[0]) -> list[float]:
            return numbers[which * CARDS_PER_DECK : (which + 1) * CARDS_PER_DECK].tolist()

        waste, stock, reserve = list(known.waste), list(known.stock), list(known.reserve)
        assert of(IN_WASTE) == counted(waste)
        assert of(IN_STOCK) == counted(stock)
        assert of(IN_RESERVE) == counted(reserve)
        assert of(ON_PILE) == counted([card for pile in known.tableau for card in pile])
        assert of(WASTE_TOP) == counted(waste[-1:])
        assert of(NEXT_IN_STOCK) == counted(stock[-1:])
        everywhere = np.array([of(x) for x in (IN_WASTE, IN_STOCK, IN_RESERVE, ON_PILE, ON_FOUNDATION, UNSEEN)])
        assert (everywhere.sum(axis=0) == rules.decks).all()
        covered = [(len(pile) - 1 - i) / 8 for pile in known.tableau for i in range(len(pile))]
        assert sum(of(COVERED)) == pytest.approx(sum(covered))
        for pile, numbers in zip(known.tableau, piles[0], strict=True):
            assert of(TOP_CARD, numbers) == counted(list(pile[-1:]))
            assert of(PILE_CARDS, numbers) == [min(1, n) for n in counted(list(pile))]


TELL = [*range(IN_PILE, IN_PILE + 4), ON_TOP, DEPTH, *range(IN_DEAL, IN_DEAL + 3), AT_BOTTOM, BLOCKS_CARDS]


@pytest.mark.parametrize("game", GAMES)
@pytest.mark.parametrize("level", ["recall", "open"])
def test_cards_know_where_they_lie_and_next_to_whom(game: str, level: str) -> None:
    rules = GAMES[game]
    reader = CardReader(rules)
    for position in positions(game)[::9]:
        known = position.known(level)
        read = reader.read(encode(rules, position, level)[None])
        assert read.numbers.shape == (1, CARDS_PER_DECK, CARD_NUMBERS)
        copies = read.numbers[0, :, : 2 * COPY_NUMBERS].reshape(CARDS_PER_DECK, 2, COPY_NUMBERS)
        stacks = [*known.tableau, known.reserve, known.waste, known.stock]
        found: dict[int, list[tuple[float, ...]]] = {card: [] for card in range(CARDS_PER_DECK)}
        for place, stack in enumerate(stacks):
            codes = [NO_CARD if card == UNKNOWN else card_code(card) for card in stack]
            for height, card in reversed(list(enumerate(codes))):
                if card == NO_CARD:
                    continue
                depth, kind = len(codes) - 1 - height, max(0, place - rules.n_piles + 1)
                above = codes[height + 1] if depth else NO_CARD
                beneath = codes[height - 1] if height else NO_CARD
                lower = sum(x // 13 == card // 13 and x < card for x in codes[:height])
                found[card].append((kind, depth, above, beneath, lower, height))
        for card, of_card in found.items():
            assert copies[card, :, TOLD].sum() == len(of_card)
            told = [(*copies[card, i, TELL].tolist(), *read.neighbours[0, card, [i, 2 + i]]) for i in range(2)]
            asked = [
                (
                    *(kind == i for i in range(4)),
                    depth == 0,
                    np.float32(depth) / 30,
                    *(kind == 3 and depth % 3 == i for i in range(3)),
                    kind == 0 and height == 0,
                    np.float32(lower) / 3,
                    above,
                    beneath,
                )
                for kind, depth, above, beneath, lower, height in of_card
            ]
            assert sorted(told[: len(of_card)]) == sorted(asked)
            up = read.numbers[0, card, [UP, UP_TWICE]].sum()
            unseen = rules.decks - len(of_card) - up
            assert unseen >= 0
            assert unseen == 0 or level == "recall"
        for pile, ends in zip(known.tableau, read.ends[0].tolist(), strict=True):
            assert ends[0] == (card_code(pile[-1]) if pile else NO_CARD)
            if pile:
                run = [card for card in pile if copies[card_code(card), :, RUN_TO_TOP].any()]
                assert card_code(pile[-1]) in map(card_code, run)
                assert ends[1] in map(card_code, run)
                assert (ends[2] == NO_CARD) == (ends[1] == card_code(pile[0]))


@pytest.mark.parametrize("game", GAMES)
def test_features_know_no_hidden_card(game: str) -> None:
    """Nothing but the observation goes in, and it stays the same when unseen cards change places (K4)."""
    rules = GAMES[game]
    for position in positions(game, 20)[::5]:
        unseen = [i for i, card in enumerate(position.known("recall").stock) if card == UNKNOWN]
        stock = list(position.stock)
        stock[unseen[0]], stock[unseen[-1]] = stock[unseen[-1]], stock[unseen[0]]
        other = Position(**{**vars(position), "stock": tuple(stock)})
        for reader in (FeatureReader(rules), CardReader(rules)):
            for a, b in zip(*(reader.read(encode(rules, x)[None]) for x in (position, other)), strict=True):
                assert (a == b).all()


def test_a_foreign_observation_does_no_harm() -> None:
    noise = np.random.default_rng(0).integers(0, 2, (64, 1782)).astype(np.uint8)
    for reader in (FeatureReader(GAMES["courtyard"]), CardReader(GAMES["courtyard"])):
        assert all(np.isfinite(part).all() for part in reader.read(noise))


WIDTHS = {"width": 32, "pile_width": 16, "pair_width": 8}


@pytest.fixture(scope="module", params=[(game, kind) for kind in (PilePolicy, CardPolicy) for game in GAMES])
def model(request: pytest.FixtureRequest) -> MaskablePPO:
    game, kind = request.param
    env = SolitaireVecEnv(game, 4, seed=0)
    kwargs = {"game": game, **WIDTHS}
    return MaskablePPO(kind, env, n_steps=16, batch_size=32, policy_kwargs=kwargs, seed=0, device="cpu")


def test_scores_go_with_the_piles(model: MaskablePPO) -> None:
    """Two piles change places: the scores of their actions do the same, all others and the value stay."""
    policy = model.policy.double()
    game = policy._game
    rules, actions = GAMES[game], ActionTable(GAMES[game])
    with torch.no_grad():  # fresh scores are all but equal
        for parameter in policy.parameters():
            parameter.add_(torch.randn_like(parameter) * 0.1)
    places = list(range(rules.n_piles))
    places[0], places[2] = 2, 0
    moved = []
    for index in range(actions.n):
        action = actions.decode(index)
        source = places[action.source] if action.kind.startswith("pile_") else action.source
        target = places[action.target] if action.kind.endswith("_pile") else action.target
        moved.append(actions.encode(action._replace(source=source, target=target)))
    for position in positions(game)[::31]:
        piles = list(position.tableau)
        piles[0], piles[2] = piles[2], piles[0]
        other = Position(**{**vars(position), "tableau": tuple(piles)})
        inputs = torch.from_numpy(np.stack([encode(rules, x) for x in (position, other)]))
        features = policy.extract_features(inputs)
        scores = policy.action_net(features)
        assert torch.allclose(scores[0], scores[1][moved])
        assert piles[0] == piles[2] or not torch.allclose(scores[0], scores[1])
        values = policy.value_net(features)
        assert torch.allclose(values[0], values[1])


def test_learns_and_survives_saving(model: MaskablePPO, tmp_path: object) -> None:
    model.learn(128)
    model.save(f"{tmp_path}/model.zip")
    again = MaskablePPO.load(f"{tmp_path}/model.zip", device="cpu")
    observations = model.env.reset()
    masks = np.array(model.env.env_method("action_masks"))
    for deterministic in (True, False):
        torch.manual_seed(1)
        expected, _ = model.predict(observations, deterministic=deterministic, action_masks=masks)
        torch.manual_seed(1)
        actions, _ = again.predict(observations, deterministic=deterministic, action_masks=masks)
        assert (actions == expected).all()


def test_cards_begin_where_piles_ended() -> None:
    """A network of cards answers as the network of piles did from which it takes over, and then learns."""
    env = SolitaireVecEnv("variegated_canfield", 16, seed=0)
    observations = torch.from_numpy(env.reset())

    def made(kind: type[PilePolicy], **widths: int) -> PilePolicy:
        kwargs = {"game": "variegated_canfield", **WIDTHS, **widths}
        return kind(env.observation_space, env.action_space, lambda _: 1e-3, **kwargs)

    def scores(policy: PilePolicy) -> torch.Tensor:
        return policy.action_net(policy.extract_features(observations))

    piles, cards = made(PilePolicy), made(CardPolicy, card_width=8, rounds=2)
    assert not torch.equal(scores(piles), scores(cards))
    cards.take_over(piles.state_dict())
    assert torch.equal(scores(piles), scores(cards))
    for _ in range(2):
        scores(cards).square().sum().backward()
        cards.optimizer.step()
    moved = {name.split(".")[1] for name, of in cards.named_parameters() if of.grad is not None and of.grad.any()}
    assert {"card_in", "rank", "rounds", "cards_to_table", "cards_to_pile"} <= moved
    again = made(CardPolicy, card_width=8, rounds=2)
    again.take_over(cards.state_dict())
    assert torch.equal(scores(again), scores(cards))
    for wrong in (made(PilePolicy, width=16), made(CardPolicy, card_width=4, rounds=2)):
        with pytest.raises((ValueError, RuntimeError), match=r"weights of a network of piles|size mismatch"):
            again.take_over(wrong.state_dict())
